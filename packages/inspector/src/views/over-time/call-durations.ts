import { groupBy } from '@throughline/core/values'
import type { TimelinePoint } from '../../api/timeline.ts'
import type { Brief } from '../../parts/log-scale.ts'

/** How long calls took: from a call to its written reply, if no other call of the turn was made between. */
export function callDurations(
  calls: readonly (Pick<TimelinePoint, 'call' | 'turn' | 'time'> & { readonly status?: string })[],
  entries: readonly Pick<Brief, 'turn' | 'role' | 'time'>[],
): ReadonlyMap<string, number> {
  const replies = groupBy(
    entries.filter(({ role }) => role === 'assistant'),
    ({ turn }) => turn,
  )
  const durations = new Map<string, number>()
  for (const [turn, turnCalls] of groupBy(calls, ({ turn }) => turn)) {
    const made = turnCalls.toSorted((a, b) => a.time - b.time)
    const written = replies.get(turn) ?? []
    let next = 0
    for (const [at, { call, time, status }] of made.entries()) {
      while (next < written.length && written[next]!.time < time) next += 1
      const reply = written[next]
      const later = made[at + 1]
      if (
        call === undefined ||
        status !== 'completed' ||
        !reply ||
        (later && later.time < reply.time)
      )
        continue
      durations.set(call, reply.time - time)
      next += 1
    }
  }
  return durations
}

/** `0.4 s`, `12 s`, `2 min` */
export function shownDuration(ms: number): string {
  if (ms < 1000) return `${ms} ms`
  const seconds = ms / 1000
  if (seconds < 10) return `${seconds.toFixed(1)} s`
  return seconds < 120 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`
}
