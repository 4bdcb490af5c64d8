const longest = 300
const piece = 20

/**
 * A provider's words for an error message: one short line. Some servers repeat what they were sent; then nothing of it
 * is shown, because errors end up in logs.
 */
export function quoteFault(words: string, sent: readonly string[]): string {
  const line = words.replace(/\s+/g, ' ').trim().slice(0, longest)
  if (line === '') return ''
  return repeats(line, sent) ? ' (its words repeat what was sent and are left out)' : `: "${line}"`
}

function repeats(line: string, sent: readonly string[]): boolean {
  const texts = sent.filter(text => text.length >= 8)
  if (texts.some(text => line.includes(text))) return true
  for (let at = 0; at + piece <= line.length; at += piece / 2) {
    const part = line.slice(at, at + piece)
    if (texts.some(text => text.includes(part))) return true
  }
  return false
}
