import { sqliteStore } from '../../src/stores/sqlite/sqlite-store.ts'
import { type Outcome, runFiveSteps } from './five-steps.ts'

const hour = 3_600_000

/** Runs the five steps whole: what every other run must come to, and the boundaries on the way. */
export async function runUndisturbed(path: string, isBroken = false) {
  const points: string[] = []
  const store = sqliteStore({ path })
  const ledger = isBroken ? { ledger: { sold: 0 } } : {}
  const outcome = await runFiveSteps({ store, boundary: name => points.push(name), ...ledger }, false)
  await store.close()
  return { outcome, points }
}

/**
 * Lets a run die at a boundary: from there on nothing that it tries has any effect. Then goes on in a store of which
 * all leases have run out.
 */
export async function dieAndResume(path: string, at: number, isBroken = false): Promise<Outcome> {
  const ledger = isBroken ? { ledger: { sold: 0 } } : {}
  const store = sqliteStore({ path })
  let count = 0
  const boundary = () => {
    count += 1
    if (count > at) throw new Error('dead')
  }
  await runFiveSteps({ store, boundary, ...ledger }, false).then(
    () => {
      throw new Error(`the run did not reach boundary ${at}`)
    },
    () => undefined,
  )
  await store.close()
  const later = sqliteStore({ path, now: () => Date.now() + hour })
  try {
    return await runFiveSteps({ store: later, ...ledger }, true)
  } finally {
    await later.close()
  }
}
