import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findPoints, type RunResult, runTraced } from './run-traced.ts'
import { createWriterProgram, type WriterProgram } from './start-writer.ts'
import { type CrashPoint, failingAt, spread, whyNoStrace } from './strace.ts'
import { gaveUp, isAcknowledged, isRefused, type WriterOptions } from './writer-line.ts'

const reason = whyNoStrace()
if (reason) console.log(`Not tested: a disk that reports errors, because ${reason}.`)

describe.skipIf(reason)('a SQLite log on a disk that fails', () => {
  let program: WriterProgram
  let writes: readonly CrashPoint[]
  let syncs: readonly CrashPoint[]
  beforeAll(async () => {
    program = await createWriterProgram()
    const points = await findPoints(program)
    writes = points.filter(({ call }) => call.includes('write'))
    syncs = points.filter(({ call }) => call.endsWith('sync'))
  })
  afterAll(() => program?.stop())

  /** One run for each point; gives what is wrong with any of them. */
  async function runAll(
    points: readonly CrashPoint[],
    wrap: (path: string, point: CrashPoint) => readonly string[],
    options: Partial<WriterOptions> = {},
  ) {
    const faults: string[] = []
    const runs: RunResult[] = []
    for (const point of points) {
      const run = await runTraced(program, path => wrap(path, point), options)
      runs.push(run)
      faults.push(
        ...[...run.faults, ...findBadRefusals(run)].map(fault => `${point.call} ${point.n}: ${fault}`),
      )
    }
    const refused = runs.flatMap(run => run.refused)
    const acknowledged = runs.flatMap(run => run.acknowledged).length
    return { runs, refused, acknowledged, faults }
  }

  it.each([
    ['a write', 'EIO', () => writes],
    ['a sync', 'EIO', () => syncs],
    ['a write for want of room', 'ENOSPC', () => writes],
  ] as const)('goes on when %s has failed once', async (_, error, points) => {
    const wrap = (path: string, point: CrashPoint) => failingAt(path, point, error)
    const { runs, refused, acknowledged, faults } = await runAll(spread(points(), 3), wrap)
    expect(faults).toEqual([])
    expect(refused.length).toBeGreaterThan(0)
    expect(acknowledged).toBeGreaterThan(0)
    // What was refused was done the second time.
    expect(runs.map(({ exit }) => exit)).toEqual(runs.map(() => 0))
  })

  it('stores nothing more when the disk is full, says so, and is still read', async () => {
    const wrap = (path: string, point: CrashPoint) => failingAt(path, point, 'ENOSPC', true)
    const { runs, refused, acknowledged, faults } = await runAll(spread(writes, 4), wrap)
    expect(faults).toEqual([])
    expect(acknowledged).toBeGreaterThan(0)
    expect(runs.some(({ exit }) => exit === gaveUp)).toBe(true)
    expect(refused.map(({ code }) => code)).toContain('store_full')
  })

  it('has a step whole or not at all when its writer dies of the error', async () => {
    const wrap = (path: string, point: CrashPoint) => failingAt(path, point, 'EIO')
    const { refused, acknowledged, faults } = await runAll(spread(syncs, 3), wrap, { isFragile: true })
    expect(faults).toEqual([])
    expect(refused.length).toBeGreaterThan(0)
    expect(acknowledged).toBeGreaterThan(0)
  })
})

/** A refusal is an error of ours that names the problem; right after it, what was acknowledged is read, and no more. */
function findBadRefusals({ lines }: RunResult): readonly string[] {
  let stored = 0
  return lines.flatMap(line => {
    if (isAcknowledged(line)) stored += line.texts.length
    if (!isRefused(line)) return []
    const { step, error, code, message, readable } = line
    const isTyped = error === 'StoreError' && ['store_io', 'store_full'].includes(code)
    // Before the first step there may be no tables to read, and while the file is opened there is nothing to read with.
    const isRead = readable === stored || (readable === -1 && (stored === 0 || step === 'open'))
    return [
      ...(isTyped ? [] : [`${step} was refused with ${error} ${code}: ${message}`]),
      ...(isRead
        ? []
        : [`${readable} messages were read after ${step} was refused, ${stored} are acknowledged`]),
    ]
  })
}
