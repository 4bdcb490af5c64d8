/** The longest note, in characters (about 1000 tokens): a note is a reminder, not a store. */
export const MAX_NOTE = 4000

/** The text of a note: trimmed, bounded, never half a character; `undefined` when nothing was said. */
export function toNote(text: string): string | undefined {
  const trimmed = text.trim()
  const cut = trimmed.length > MAX_NOTE
  const kept = cut ? trimmed.slice(0, MAX_NOTE - 1) : trimmed
  // A cut, or a stream that broke, may leave the first half of a surrogate pair.
  const whole = kept.replace(/[\ud800-\udbff]$/, '').trimEnd()
  return whole === '' ? undefined : whole + (cut ? '…' : '')
}
