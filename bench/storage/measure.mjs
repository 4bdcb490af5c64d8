import { median } from '../lib/stats.mjs'
import { toRow } from './raw.mjs'
import { bytesOf, turnAt } from './texts.mjs'

const warmUpTurns = 50
/** A word index takes its entries in by batches of this many: every round pays for one. */
const roundAppends = 256
const rounds = 12

/** One conversation from its first turn to its last, its size on disk, then single appends to it. */
export async function measure(subject) {
  await inPlace(subject, place => takeTurns(subject, place, warmUpTurns))
  return inPlace(subject, async place => {
    const { times, rawBytes } = await takeTurns(subject, place, subject.turns)
    const { bytes, search } = await place.size()
    const appends = await appendsOf(subject, place, times)
    return {
      turns: subject.turns,
      ...edges(times),
      bytes,
      rawBytes,
      ...appends,
      ...(search && { searchBytes: search }),
      ...(subject.driver && { driver: subject.driver }),
    }
  })
}

async function inPlace(subject, run) {
  const place = subject.createPlace()
  try {
    return await run(place)
  } finally {
    await place.remove()
  }
}

async function inSession(subject, place, run) {
  const session = await subject.open(place)
  try {
    return await run(session)
  } finally {
    await session.close()
  }
}

function takeTurns(subject, place, turns) {
  return inSession(subject, place, async session => {
    const times = []
    let rawBytes = 0
    for (let n = 0; n < turns; n++) {
      const turn = turnAt(n)
      rawBytes += bytesOf(turn)
      times.push(await timeTurn(session, turn))
    }
    const stored = await session.count()
    if (stored !== 2 * turns) throw new Error(`${subject.name} stored ${stored} messages of ${2 * turns}`)
    return { times, rawBytes }
  })
}

async function timeTurn(session, turn) {
  let paused = 0
  const untimed = async work => {
    const began = performance.now()
    const result = await work()
    paused += performance.now() - began
    return result
  }
  const began = performance.now()
  await session.take(turn, untimed)
  return performance.now() - began - paused
}

/** Means, as asked for, and medians, which a single slow write of a busy disk does not move. */
function edges(times) {
  const count = Math.min(50, times.length >> 1)
  const [first, last] = [times.slice(0, count), times.slice(-count)]
  const mean = list => sum(list) / list.length
  return {
    firstMs: mean(first),
    lastMs: mean(last),
    firstMedianMs: median(first),
    lastMedianMs: median(last),
  }
}

/**
 * Ours and the raw driver take turns, so that a busy machine hurts both alike. A peer has no append of its own: for
 * it, the messages a second of the whole conversation stand in.
 */
async function appendsOf(subject, place, times) {
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

const sum = list => list.reduce((total, value) => total + value, 0)
