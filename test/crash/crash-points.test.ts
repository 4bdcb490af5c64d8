import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findPoints, runTraced } from './run-traced.ts'
import { createWriterProgram, type WriterProgram } from './start-writer.ts'
import { killedAt, spread, whyNoStrace } from './strace.ts'

const reason = whyNoStrace()
if (reason) console.log(`Not tested: crashes at every call of the system, because ${reason}.`)

describe.skipIf(reason)('a SQLite log whose writer is killed at a call of the system', () => {
  let program: WriterProgram
  beforeAll(async () => {
    program = await createWriterProgram()
  })
  afterAll(() => program?.stop())

  it.each([
    ['while it writes', {}, 8],
    ['while it opens and closes the file, too', { isReopening: true }, 4],
  ] as const)('has all that was acknowledged, whole, %s', async (_, options, count) => {
    const all = await findPoints(program, options)
    const points = spread(all, count)
    const faults: string[] = []
    let acknowledged = 0
    for (const point of points) {
      const run = await runTraced(program, path => killedAt(path, point), options)
      const where = `${point.call} ${point.n}`
      if (run.exit !== null) faults.push(`${where}: the writer was not killed`)
      faults.push(...run.faults.map(fault => `${where}: ${fault}`))
      acknowledged += run.acknowledged.length
    }
    console.log(`${points.length} of ${all.length} crash points, ${acknowledged} steps acknowledged`)
    expect(faults).toEqual([])
    expect(acknowledged).toBeGreaterThan(0)
  })

  it.each([
    ['acknowledges before it writes', 'late', 'was acknowledged and is not there'],
    ['writes the end of a turn in two transactions', 'torn', 'torn'],
  ] as const)('would notice a store that %s', async (_, fault, words) => {
    const options = { fault, turns: 4 }
    const found: string[] = []
    let acknowledged = 0
    // From the last one backwards: the file is opened at the first ones, and nothing is acknowledged yet.
    for (const point of syncs(await findPoints(program, { turns: 4 })).slice(0, 12)) {
      const run = await runTraced(program, path => killedAt(path, point), options)
      found.push(...run.faults)
      acknowledged += run.acknowledged.length
      if (found.length > 0) break
    }
    expect(found.join()).toContain(words)
    expect(acknowledged).toBeGreaterThan(0)
  })
})

const syncs = (points: Awaited<ReturnType<typeof findPoints>>) =>
  points.filter(({ call }) => call.endsWith('sync')).reverse()
