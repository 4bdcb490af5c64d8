/** A text with the words marked for which it was brought back. */
export function Marked({ text, terms }: { readonly text: string; readonly terms: readonly string[] }) {
  const marks = marksIn(text, terms)
  if (marks.length === 0) return text
  const pieces: React.ReactNode[] = []
  let at = 0
  for (const [from, to] of marks) {
    pieces.push(text.slice(at, from), <mark key={from}>{text.slice(from, to)}</mark>)
    at = to
  }
  pieces.push(text.slice(at))
  return pieces
}

/** The words of a reason: `asked for: six, figure, grid …`. */
export function termsOf(why: string): readonly string[] {
  const [, list] = /asked(?: for)?: (.+)$/s.exec(why) ?? []
  if (list === undefined) return []
  return list
    .replace(/ …$/, '')
    .split(', ')
    .filter(term => term !== '')
}

type Mark = readonly [from: number, to: number]

/** Longer texts are not searched further: they are shown, not read to the end. */
const mostText = 100_000

/** Where words stand that begin as a term does: `bucket` marks `buckets`. */
export function marksIn(text: string, terms: readonly string[]): readonly Mark[] {
  const searched = text.slice(0, mostText).toLowerCase()
  const found: Mark[] = []
  for (const term of new Set(terms.map(one => one.toLowerCase()))) {
    for (let at = searched.indexOf(term); at >= 0; at = searched.indexOf(term, at + term.length)) {
      const isStart = at === 0 || !isLetter(searched[at - 1]!) || !isLetter(term[0]!)
      let end = at + term.length
      if (isStart && isLetter(term.at(-1)!))
        while (end - at < term.length + 3 && isLatin(searched[end])) end += 1
      const isWhole = !isLatin(searched[end]) || !isLatin(term.at(-1))
      if (isStart && isWhole) found.push([at, end])
    }
  }
  const sorted = found.toSorted((a, b) => a[0] - b[0])
  return sorted.filter(([from], at) => at === 0 || from >= sorted[at - 1]![1])
}

const isLetter = (character: string) => /[\p{L}\p{N}]/u.test(character)

/** Letters of scripts that put blanks between words. */
const isLatin = (character: string | undefined) =>
  character !== undefined && /[\p{Script=Latin}\p{N}]/u.test(character)
