import { median } from '../lib/stats.mjs'
import { nextTurn, startConversation } from './conversation.mjs'

/** A longer turn is aborted if the subject allows it; after a longer size no larger one is measured. */
export const limitMs = 10_000
const enoughMs = 2000
const enoughTurns = 200
const fewestTurns = 3
const warmUp = { ms: 300, turns: 20 }

class TookTooLongError extends Error {}

/** The median turn of a subject at a size, and its CPU: `{ ms, cpuMs, turns, spent }`, or `{ spent }` when a turn took too long. */
export async function measure(subject, size) {
  const times = []
  const turn = createTurns(subject, size)
  const began = performance.now()
  const spent = () => performance.now() - began
  try {
    for (let turns = 0; turns === 0 || (turns < warmUp.turns && spent() < warmUp.ms); turns++)
      await turn()
    const end = spent() + enoughMs
    while (times.length < fewestTurns || (times.length < enoughTurns && spent() < end)) {
      times.push(await turn())
    }
    return {
      ms: median(times.map(({ ms }) => ms)),
      cpuMs: median(times.map(({ cpuMs }) => cpuMs)),
      turns: times.length,
      spent: spent(),
    }
  } catch (error) {
    if (error instanceof TookTooLongError) return { spent: spent() }
    throw error
  }
}

/** Times one turn after the other, and begins a new conversation before the old one has outgrown its size. */
function createTurns(subject, size) {
  const turns = subject.turns ?? Math.max(3, Math.floor(size / 20))
  let left = 0
  let take
  let deadline = 0
  const checkTime = () => {
    if (performance.now() > deadline) throw new TookTooLongError()
  }
  return async () => {
    if (left === 0) {
      take = subject.start(startConversation(size), checkTime)
      left = turns
    }
    left -= 1
    const messages = nextTurn()
    const cpu = process.cpuUsage()
    const began = performance.now()
    deadline = began + limitMs
    const sent = await take(messages)
    const ms = performance.now() - began
    const { user, system } = process.cpuUsage(cpu)
    // A subject that sends next to nothing, or everything, did not fit the conversation.
    if (sent < 8 || sent > 400)
      throw new Error(`${subject.name} sent ${sent} messages at size ${size}`)
    return { ms, cpuMs: (user + system) / 1000 }
  }
}
