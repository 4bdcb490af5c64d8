import type { TimelinePoint } from '../api/timeline.ts'

type CacheFigures = Pick<TimelinePoint, 'tokens' | 'reused' | 'reported' | 'cached' | 'shadow'>

/** How much of a prompt was not read again. */
export interface CacheShare {
  /** From 0 to 1. */
  readonly share: number
  /** In the tokens of the source: as the model server counts, or as we do. */
  readonly tokens: number
  readonly anew: number
  /** The tokens of our own count, for drawings of our own. */
  readonly drawn: number
  readonly isReported: boolean
}

/** What the model server says of its cache stands above our estimate. In a shadow it speaks of another prompt. */
export function cacheOf({ tokens, reused, reported, cached, shadow }: CacheFigures): CacheShare {
  if (cached === undefined || shadow)
    return {
      share: reused / Math.max(1, tokens),
      tokens: reused,
      anew: tokens - reused,
      drawn: reused,
      isReported: false,
    }
  // Some servers report only what they had to read.
  const whole = reported !== undefined && reported >= cached ? reported : Math.max(tokens, cached)
  const share = cached / Math.max(1, whole)
  return {
    share,
    tokens: cached,
    anew: whole - cached,
    drawn: Math.round(share * tokens),
    isReported: true,
  }
}

/** Whose figure it is. */
export const cacheSource = (isReported: boolean) =>
  isReported ? 'cached, as the model reported' : 'cached prefix (estimate)'

/** The same of several calls: of the tokens that were sent in all. Whose figure it is, is told by how many were reported. */
export function sumCache(points: Iterable<CacheFigures>) {
  const sums = { calls: 0, reported: 0, tokens: 0, cached: 0, anew: 0 }
  for (const point of points) {
    const one = cacheOf(point)
    sums.calls += 1
    sums.reported += Number(one.isReported)
    sums.tokens += one.tokens + one.anew
    sums.cached += one.tokens
    sums.anew += one.anew
  }
  return { ...sums, share: sums.cached / Math.max(1, sums.tokens) }
}

/** `as the model reported`, `by our estimate`, `as the model reported of 3 of 5 calls, else by our estimate` */
export function sumSource({
  calls,
  reported,
}: Pick<ReturnType<typeof sumCache>, 'calls' | 'reported'>): string {
  if (reported === 0) return 'by our estimate'
  return reported === calls
    ? 'as the model reported'
    : `as the model reported of ${reported} of ${calls} calls, else by our estimate`
}
