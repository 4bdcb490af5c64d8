import type { Places } from '../../parts/marked.tsx'

/** The words at some places, each once. */
export function wordsAt(text: string, hits: Places): readonly string[] {
  const words = new Map(hits.map(([from, to]) => [text.slice(from, to).toLowerCase(), text.slice(from, to)]))
  return [...words.values()]
}

/** The part of a text around its first hit, with the hits in it. */
export function excerpt(
  text: string,
  hits: Places,
  most = 200,
): { readonly text: string; readonly places: Places } {
  const first = hits[0]?.[0] ?? 0
  const from = first < 60 ? 0 : text.lastIndexOf(' ', first - 30) + 1
  const end = Math.min(text.length, from + most)
  const before = from > 0 ? '… ' : ''
  const shift = before.length - from
  return {
    text: `${before}${text.slice(from, end)}${end < text.length ? '…' : ''}`,
    places: hits.filter(([a, b]) => a >= from && b <= end).map(([a, b]) => [a + shift, b + shift]),
  }
}
