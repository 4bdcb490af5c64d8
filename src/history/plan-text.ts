/** A piece of a text: words of its own, or the whole text of an entry. */
export type TextPart = string | number

/** A shorter text is as well written out. */
const shortest = 16

/** A text in parts, where the texts of entries stand in it word for word: recalled ones do, and replies with a note. */
export function splitText(text: string, entries: ReadonlyMap<number, string>): readonly TextPart[] {
  let parts: TextPart[] = [text]
  const longestFirst = [...entries].sort(([a, textA], [b, textB]) => textB.length - textA.length || a - b)
  for (const [seq, entry] of longestFirst) {
    if (entry.length < shortest) break
    parts = parts.flatMap(part => (typeof part === 'number' ? part : cutOut(part, entry, seq)))
  }
  return parts.filter(part => part !== '')
}

export function joinText(parts: readonly TextPart[], textOf: (seq: number) => string): string {
  return parts.map(part => (typeof part === 'number' ? textOf(part) : part)).join('')
}

function cutOut(text: string, entry: string, seq: number): TextPart[] {
  const at = text.indexOf(entry)
  return at < 0 ? [text] : [text.slice(0, at), seq, text.slice(at + entry.length)]
}
