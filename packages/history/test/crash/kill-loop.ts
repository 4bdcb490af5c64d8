import { setTimeout as sleep } from 'node:timers/promises'
import { postgresStore } from '@throughline/stores/postgres'
import { sqliteStore } from '@throughline/stores/sqlite'
import type { Store } from '@throughline/stores/store'
import { findFaults } from './find-faults.ts'
import type { WriterProgram } from './start-writer.ts'
import { type Acknowledged, type Fault, isAcknowledged, type Place } from './writer-line.ts'

export interface KillLoopOptions {
  readonly place: Place
  readonly rounds: number
  readonly seed: number
  readonly fault?: Fault
}

/**
 * Lets a writer write until it is killed, on the same log again and again, each time at a moment that the seed gives: so
 * many steps after its first, and a little later. Ends early when something is wrong.
 */
export async function killLoop(
  program: WriterProgram,
  { place, rounds, seed, fault }: KillLoopOptions,
): Promise<{ readonly acknowledged: number; readonly faults: readonly string[] }> {
  const random = createRandom(seed)
  const conversation = `loop ${crypto.randomUUID()}`
  const acknowledged: Acknowledged[] = []
  // PostgreSQL has its own clock: there the lease of the dead must be waited for.
  const leaseMs = place.kind === 'postgres' ? 500 : 30_000
  for (let round = 1; round <= rounds; round++) {
    const options = { place, conversation, name: `round-${round}`, turns: 1_000_000, leaseMs }
    const writer = program.start(fault ? { ...options, fault } : options)
    await writer.waitFor('acknowledged', 1 + random(30))
    await sleep(random(8))
    await writer.kill()
    acknowledged.push(...writer.lines.filter(isAcknowledged))
    const store = openStore(place)
    const faults = await findFaults({ store, conversation, acknowledged })
    await store.close()
    if (faults.length > 0) return { acknowledged: acknowledged.length, faults }
  }
  return { acknowledged: acknowledged.length, faults: [] }
}

export const openStore = (place: Place): Store =>
  place.kind === 'sqlite' ? sqliteStore({ path: place.path }) : postgresStore({ url: place.url })

/** A linear congruence: whole numbers below a limit, the same for a seed everywhere. */
function createRandom(seed: number): (below: number) => number {
  let state = seed >>> 0
  return below => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}
