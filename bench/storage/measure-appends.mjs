import { setImmediate as breathe } from 'node:timers/promises'
import { median } from '../lib/stats.mjs'
import { toRow } from './raw.mjs'
import { inPlace, inSession } from './sessions.mjs'
import { turnAt } from './texts.mjs'

/** A word index takes its entries in by batches of this many: every round pays for one. */
const roundAppends = 256
const rounds = 12

/**
 * Ours and the raw driver take turns, so that a busy machine hurts both alike. A peer has no append of its own: for
 * it, the messages a second of the whole conversation stand in.
 */
export async function measureAppends(subject, place, times) {
  if (subject.isPeer) return { appendsPerSecond: (2000 * times.length) / sum(times) }
  return inSession(subject, place, async session => {
    const append = await session.startAppending()
    if (!subject.raw) return { appendsPerSecond: median(await takeRounds(append)) }
    return inPlace(subject.raw, rawPlace =>
      inSession(subject.raw, rawPlace, async rawSession => {
        const [own, raw] = await takeRounds(append, await rawSession.startAppending())
        return {
          appendsPerSecond: median(own),
          rawAppendsPerSecond: median(raw),
          shareOfRaw: median(own.map((rate, round) => rate / raw[round])),
        }
      }),
    )
  })
}

/** The rates of each, round by round; the first round only warms up, and who begins changes. */
async function takeRounds(append, rawAppend) {
  const [own, raw] = [[], []]
  for (let round = 0; round <= rounds; round++) {
    const pair = [
      [append, own],
      [rawAppend, raw],
    ]
    for (const [run, rates] of round % 2 ? pair : pair.reverse()) {
      if (!run) continue
      await breathe()
      const rate = await rateOf(run, round)
      if (round > 0) rates.push(rate)
    }
  }
  return rawAppend ? [own, raw] : own
}

async function rateOf(append, round) {
  const rows = Array.from({ length: roundAppends }, (_, n) =>
    toRow('tool', turnAt(1_000_000 + round * roundAppends + n).reply),
  )
  const began = performance.now()
  for (const row of rows) await append(row)
  return (1000 * roundAppends) / (performance.now() - began)
}

export const sum = list => list.reduce((total, value) => total + value, 0)
