import { payloadTexts } from './payload-texts.ts'

/** A few words around the first match of a wanted word. */
export function snippet(payload: string, wanted: readonly string[], around = 40): string {
  const texts = payloadTexts(payload)
  for (const text of texts) {
    const at = firstPlace(text.toLowerCase(), wanted)
    if (at >= 0) return cut(text, at, around)
  }
  // The entry spells the word otherwise (an accent, a full-width letter): its beginning will do.
  return cut(texts[0] ?? '', 0, around)
}

function firstPlace(text: string, wanted: readonly string[]): number {
  return wanted.reduce((first, word) => {
    const at = text.indexOf(word)
    return at < 0 || (first >= 0 && first < at) ? first : at
  }, -1)
}

function cut(text: string, at: number, around: number): string {
  const from = wordStart(text, Math.max(0, at - around))
  const part = [...text.slice(from, from + 3 * around)]
    .join('')
    .replace(/\p{Surrogate}/gu, '')
    .replace(/\s+/g, ' ')
  return `${from > 0 ? '…' : ''}${part.trim()}${from + 3 * around < text.length ? '…' : ''}`
}

/** Moves a start out of the middle of a word, if there is a space nearby. */
function wordStart(text: string, from: number): number {
  if (from === 0) return 0
  const space = text.indexOf(' ', from)
  return space >= 0 && space - from < 15 ? space + 1 : from
}
