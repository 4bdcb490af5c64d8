/** Cuts a reason to 120 characters. No character is cut in half: stores refuse such texts. */
export function shorten(text: string): string {
  return text.length <= 120 ? text : `${text.slice(0, 119).replace(/[\uD800-\uDBFF]$/, '')}…`
}
