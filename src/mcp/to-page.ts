/** The most characters of an answer: some thousand tokens, which every client takes. */
export const pageSize = 12_000

/** A page of a text, which says which one it is and how to get the next. */
export function toPage(text: string, page: number): string {
  const pages = Math.max(1, Math.ceil(text.length / pageSize))
  if (pages === 1 && page === 1) return text
  if (page > pages) return `There are only ${pages} pages.`
  const shown = text.slice(startOf(text, page - 1), startOf(text, page))
  const next = page < pages ? `; for more, ask again with page: ${page + 1}` : ''
  return `${shown}\n\n(page ${page} of ${pages}${next})`
}

/** Where a page begins: never between the halves of a character. */
function startOf(text: string, page: number): number {
  const at = page * pageSize
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code <= 0xdfff ? at + 1 : Math.min(at, text.length)
}
