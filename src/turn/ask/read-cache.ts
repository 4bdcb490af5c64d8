import type { Context } from '../../context/fit.ts'
import type { LateAccount } from '../../history/calls/read-plan.ts'
import { toModelTokens } from '../../tokens/calibration.ts'
import type { ModelReply } from '../model-reply.ts'

export interface CacheReading {
  readonly context: Pick<Context, 'tokens' | 'receipt'>
  readonly factor: number
  readonly reply: Pick<ModelReply, 'usage' | 'details'>
  readonly reported?: number | undefined
  readonly isLocal?: boolean | undefined
  /** Whether the server reported only the tokens that it had to read. */
  readonly isPartial?: boolean | undefined
}

/**
 * What came from the cache of the model server, as far as it told. If it is far less than was the same as before, also the
 * probable reason, for a server of one's own: at a provider a cache ends by the clock, and may not have been asked for.
 */
export function readCache(call: CacheReading): Pick<LateAccount, 'cached' | 'cacheLost'> {
  const { context, factor, reply, reported, isLocal = false, isPartial = false } = call
  const predicted = toModelTokens(context.tokens, factor)
  const reportedCached = isPartial ? predicted - (reported ?? 0) : reply.usage.cachedTokens
  if (reportedCached === undefined) return {}
  const cached = Math.max(0, Math.round(reportedCached))
  // Shares are compared: our counts may be far from the server's.
  const whole = isPartial || reported === undefined ? predicted : reported
  const expected = whole * (context.receipt.prefix?.share ?? 0)
  const isLost = isLocal && expected >= fewest && cached < expected * 0.9
  return isLost ? { cached, cacheLost: reasonFor(call, cached / whole, expected / whole) } : { cached }
}

/** A smaller prompt is read at once, and our count of it is too rough. */
const fewest = 128

/** `cached` and `expected`: shares of the prompt. */
function reasonFor({ context, reply }: CacheReading, cached: number, expected: number): string {
  const { load_duration: loading } = reply.details ?? {}
  // Ollama tells how long it took to load the model: a loaded one is found in some milliseconds.
  if (typeof loading === 'number' && loading > 1e9) return 'the model was unloaded'
  if (cached < expected / 10) return 'something else used this slot'
  let place = 0
  let read = 0
  for (const { tokens } of context.receipt.sent) {
    read += tokens
    if (read > cached * context.tokens) break
    place += 1
  }
  return `the prompt changed at message ${place + 1}`
}
