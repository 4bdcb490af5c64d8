import type { AnswerOf } from '../api/client.ts'

export type Brief = AnswerOf<'get /conversations/:conversation/outline'>['entries'][number]

/** The log as a column: how many tokens stand before each entry. */
export interface LogScale {
  readonly entries: readonly Brief[]
  /** [seq] is the sum up to that entry; [0] is 0. */
  readonly upTo: Float64Array
  readonly total: number
}

/** All tokens of the page are the model's: our counts times the calibration that the server tells. */
export const inModelTokens = (entries: readonly Brief[], factor = 1): readonly Brief[] =>
  factor === 1
    ? entries
    : entries.map(entry => ({
        ...entry,
        tokens: entry.tokens && Math.round(entry.tokens * factor),
      }))

export function toScale(entries: readonly Brief[]): LogScale {
  const upTo = new Float64Array(entries.length + 1)
  // An entry without a token count still has its place.
  for (const [at, { tokens = 1 }] of entries.entries())
    upTo[at + 1] = upTo[at]! + Math.max(1, tokens)
  return { entries, upTo, total: upTo[entries.length]! }
}

/** The entry at a place of the column, from 0 to 1. */
export function entryAt({ upTo, entries, total }: LogScale, share: number): number {
  const wanted = share * total
  let [from, to] = [1, entries.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if (upTo[middle]! <= wanted) from = middle + 1
    else to = middle
  }
  return from
}

/** The lower edge of an entry in a column of pixels, by its place; that of 0 is the top. */
export const toY =
  ({ upTo, total }: LogScale, { top, bottom }: { readonly top: number; readonly bottom: number }) =>
  (seq: number): number =>
    top + (upTo[seq]! / Math.max(1, total)) * (bottom - top)
