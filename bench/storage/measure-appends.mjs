import { setImmediate as breathe } from 'node:timers/promises'
import { median } from '../lib/stats.mjs'
import { toRow } from './raw.mjs'
import { inPlace, inSession } from './sessions.mjs'
import { turnAt } from './texts.mjs'

/**
 * The word index of SQLite takes its entries in by batches of this many: every round pays for one. PostgreSQL indexes in
 * the background: after each of our rounds all of it, so that the raw driver does not pay for it, and timed by itself.
 */
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
    if (!subject.raw) return { appendsPerSecond: median((await takeRounds({ append })).own) }
    return inPlace(subject.raw, rawPlace =>
      inSession(subject.raw, rawPlace, async rawSession => {
        const { settle } = session
        const rawAppend = await rawSession.startAppending()
        const { own, raw, settled } = await takeRounds({ append, settle, rawAppend })
        const shareOfRaw = rates => median(rates.map((rate, round) => rate / raw[round]))
        return {
          appendsPerSecond: median(own),
          rawAppendsPerSecond: median(raw),
          shareOfRaw: shareOfRaw(own),
          ...(settle && { settledShareOfRaw: shareOfRaw(settled) }),
        }
      }),
    )
  })
}

/**
 * The rates of each, round by round; the first round only warms up, and who begins changes. `settled`: ours with the time
 * until all of it is indexed.
 */
async function takeRounds({ append, settle, rawAppend }) {
  const rates = { own: [], raw: [], settled: [] }
  for (let round = 0; round <= rounds; round++) {
    const takeOwn = async () => {
      const ms = await timeOf(append, round)
      const began = performance.now()
      await settle?.()
      return { own: ms, settled: ms + performance.now() - began }
    }
    const takeRaw = async () => (rawAppend ? { raw: await timeOf(rawAppend, round) } : {})
    for (const take of round % 2 ? [takeOwn, takeRaw] : [takeRaw, takeOwn]) {
      await breathe()
      const times = Object.entries(await take())
      if (round > 0) for (const [name, ms] of times) rates[name].push((1000 * roundAppends) / ms)
    }
  }
  return rates
}

async function timeOf(append, round) {
  const rows = Array.from({ length: roundAppends }, (_, n) =>
    toRow('tool', turnAt(1_000_000 + round * roundAppends + n).reply),
  )
  const began = performance.now()
  for (const row of rows) await append(row)
  return performance.now() - began
}

export const sum = list => list.reduce((total, value) => total + value, 0)
