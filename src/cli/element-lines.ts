/**
 * The line that each message of a JSON text begins on: of the elements of the outermost array, or of the array
 * under "messages". The text is known to be valid JSON, so a walk over brackets and strings is enough.
 */
export function elementLines(text: string): readonly number[] {
  const lines: number[] = []
  let line = 1
  let depth = 0
  /** The depth of the elements; 0 while the array has not begun. */
  let inside = 0
  let key = ''
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!
    if (character === '\n') line += 1
    if (isBlank(character)) continue
    const begins = inside > 0 && depth === inside && character !== ',' && character !== ']'
    if (begins && previous(text, at) !== ':') lines.push(line)
    if (character === '"') {
      const end = stringEnd(text, at)
      if (depth === 1) key = text.slice(at + 1, end)
      at = end
    } else if (character === '[' || character === '{') {
      depth += 1
      if (inside === 0 && character === '[' && (depth === 1 || (depth === 2 && key === 'messages')))
        inside = depth
    } else if (character === ']' || character === '}') {
      if (inside > 0 && depth === inside) return lines
      depth -= 1
    }
  }
  return lines
}

const isBlank = (character: string) =>
  character === ' ' || character === '\n' || character === '\r' || character === '\t'

/** The character before, blanks aside: an element begins after `[` or `,`. */
function previous(text: string, at: number): string {
  let before = at - 1
  while (before >= 0 && isBlank(text[before]!)) before -= 1
  return text[before] ?? ''
}

function stringEnd(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at
}
