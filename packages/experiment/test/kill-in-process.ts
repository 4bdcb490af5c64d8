import { copyFileSync, existsSync } from 'node:fs'
import { sqliteStore } from '@throughline/stores/sqlite'
import { type FiveStepsOptions, type Outcome, runFiveSteps, writes } from './five-steps.ts'

type Variant = Pick<FiveStepsOptions, 'hasHooks' | 'isFailing' | 'ledger'>

const hour = 3_600_000

/** A copy of the file at one moment: what a process that dies then leaves behind. */
export interface State {
  readonly path: string
  readonly after: string
}

/** Runs an undisturbed experiment: gives the expected result, its boundaries, and the file after each write. */
export async function runUndisturbed(path: string, variant: Variant = {}) {
  const points: string[] = []
  const states: State[] = []
  const store = sqliteStore({ path })
  const changes: ReadonlySet<string> = new Set(writes.map(name => `after ${name}`))
  const outcome = await runFiveSteps({ ...variant, store, boundary }, false)
  await store.close()
  return { outcome, points, states }

  /** Called while nothing is being written. */
  function boundary(name: string): void {
    points.push(name)
    if (!changes.has(name) && states.length > 0) return
    const copy = `${path}-${states.length}`
    copyFileSync(path, copy)
    if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${copy}-wal`)
    states.push({ path: copy, after: `${points.length} ${name}` })
  }
}

/** Resumes the experiment in a file, when all leases have run out. */
export async function resumeLater(path: string, variant: Variant = {}): Promise<Outcome> {
  const store = sqliteStore({ path, now: () => Date.now() + hour })
  try {
    return await runFiveSteps({ ...variant, store }, true)
  } finally {
    await store.close()
  }
}

/** Lets an experiment die at a boundary, after which it has no effects any more; then resumes it. */
export async function dieAndResume(
  path: string,
  at: number,
  variant: Variant = {},
): Promise<Outcome> {
  const store = sqliteStore({ path })
  let count = 0
  const boundary = () => {
    count += 1
    if (count > at) throw new Error('dead')
  }
  const died = await runFiveSteps({ ...variant, store, boundary }, false).then(
    () => false,
    () => true,
  )
  await store.close()
  if (!died) throw new Error(`The run ended before boundary ${at}.`)
  return resumeLater(path, variant)
}
