import { setImmediate as breathe } from 'node:timers/promises'
import { median } from '../lib/stats.mjs'
import { measureAppends, sum } from './measure-appends.mjs'
import { inPlace, inSession } from './sessions.mjs'
import { bytesOf, turnAt } from './texts.mjs'

const warmUpTurns = 50
/** A conversation that takes longer is given up; its last turns are then the last that there were. */
const limitMs = 75_000

/** One conversation from its first turn to its last, its size on disk, then single appends to it. */
export async function measure(subject) {
  await inPlace(subject, place => takeTurns(subject, place, warmUpTurns))
  return inPlace(subject, async place => {
    const { times, rawBytes } = await takeTurns(subject, place, subject.turns)
    const { bytes, search } = await place.size()
    const appends = await measureAppends(subject, place, times)
    return {
      turns: times.length,
      ...edges(times),
      bytes,
      rawBytes,
      ...appends,
      ...(search && { searchBytes: search }),
      ...(subject.driver && { driver: subject.driver }),
    }
  })
}

function takeTurns(subject, place, turns) {
  return inSession(subject, place, async session => {
    const times = []
    let rawBytes = 0
    const deadline = performance.now() + limitMs
    while (times.length < turns && performance.now() < deadline) {
      const turn = turnAt(times.length)
      rawBytes += bytesOf(turn)
      times.push(await timeTurn(session, turn))
      // A synchronous driver never gives signals and timers their chance.
      await breathe()
    }
    await session.settle?.()
    const stored = await session.count()
    if (stored !== 2 * times.length) {
      throw new Error(`${subject.name} stored ${stored} messages of ${2 * times.length}`)
    }
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
