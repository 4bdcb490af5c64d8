/** From one UTF-16 unit up to another. */
export type Hit = readonly [from: number, to: number]

/** A text with some places marked. */
export function Marked({ text, hits }: { readonly text: string; readonly hits: readonly Hit[] }) {
  if (hits.length === 0) return text
  const pieces: React.ReactNode[] = []
  let at = 0
  for (const [from, to] of hits) {
    if (from < at || to > text.length) continue
    pieces.push(text.slice(at, from), <mark key={from}>{text.slice(from, to)}</mark>)
    at = to
  }
  pieces.push(text.slice(at))
  return pieces
}

/** The words at some places, each once. */
export function wordsAt(text: string, hits: readonly Hit[]): readonly string[] {
  const words = new Map(hits.map(([from, to]) => [text.slice(from, to).toLowerCase(), text.slice(from, to)]))
  return [...words.values()]
}

/** The part of a text around its first hit, with the hits in it. */
export function excerpt(
  text: string,
  hits: readonly Hit[],
  most = 200,
): { readonly text: string; readonly hits: readonly Hit[] } {
  const first = hits[0]?.[0] ?? 0
  const from = first < 60 ? 0 : text.lastIndexOf(' ', first - 30) + 1
  const end = Math.min(text.length, from + most)
  const before = from > 0 ? '… ' : ''
  const shift = before.length - from
  return {
    text: `${before}${text.slice(from, end)}${end < text.length ? '…' : ''}`,
    hits: hits.filter(([a, b]) => a >= from && b <= end).map(([a, b]) => [a + shift, b + shift]),
  }
}
