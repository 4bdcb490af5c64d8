import { join } from 'node:path'
import { isLong } from '@throughline/test-tools/is-long'
import { spread } from '@throughline/test-tools/spread'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cutPower } from './cut-power.ts'
import { failAtPoints } from './fail-at-points.ts'
import { killAtPoints } from './kill-at-points.ts'
import { killLoop } from './kill-loop.ts'
import { findPoints } from './run-traced.ts'
import { createWriterProgram, type WriterProgram } from './start-writer.ts'
import { type CrashPoint, whyNoStrace } from './strace.ts'
import { gaveUp } from './writer-line.ts'

const reason = whyNoStrace()
if (reason)
  console.log(`Not tested: crashes and errors at every call of the system, because ${reason}.`)

/** Broken stores, and the fault that must be found in each. */
const controls = [
  ['acknowledges before it writes', 'late', 'was acknowledged and is not there'],
  ['writes the end of a turn in two transactions', 'torn', 'torn'],
] as const

let program: WriterProgram
/** Every system call of a writer that is not disturbed. */
let points: readonly CrashPoint[]
beforeAll(async () => {
  program = await createWriterProgram()
  points = reason ? [] : await findPoints(program)
})
afterAll(() => program?.stop())

describe.skipIf(reason)('a SQLite log whose writer is killed at a call of the system', () => {
  it.each([
    ['while it writes', { isReopening: false }, 5],
    ['while it opens and closes the file, too', { isReopening: true }, 2],
  ] as const)('has all that was acknowledged, whole, %s', async (_, options, count) => {
    const all = options.isReopening ? await findPoints(program, options) : points
    const chosen = spread(all, count)
    const { acknowledged, faults } = await killAtPoints(program, chosen, options)
    console.log(
      `${chosen.length} of ${all.length} crash points, ${acknowledged} steps acknowledged`,
    )
    expect(faults).toEqual([])
    expect(acknowledged).toBeGreaterThan(0)
  })

  it.each(controls)('would notice a store that %s', async (_, fault, words) => {
    // In the last turns: at the first points nothing is acknowledged yet, at the last ones all is written.
    const chosen = points.filter(isSync).reverse().slice(3, 12)
    const { acknowledged, faults } = await killAtPoints(program, chosen, { fault })
    expect(faults.join()).toContain(words)
    expect(acknowledged).toBeGreaterThan(0)
  })
})

describe.skipIf(reason)('a SQLite log on a disk that fails', () => {
  it.each([
    ['a write', 'EIO', isWrite],
    ['a sync of SQLite', 'EIO', (point: CrashPoint) => isSync(point) && !isLogSync(point)],
    ['a write for want of room', 'ENOSPC', isWrite],
  ] as const)('goes on when %s has failed once', async (_, error, isMeant) => {
    const chosen = spread(points.filter(isMeant), 2)
    const { acknowledged, refused, exits, faults } = await failAtPoints(program, chosen, { error })
    expect(faults).toEqual([])
    expect(refused.length).toBeGreaterThan(0)
    expect(acknowledged).toBeGreaterThan(0)
    // What was refused was done the second time.
    expect(exits).toEqual(exits.map(() => 0))
  })

  it.each(['EIO', 'ENOSPC'] as const)(
    'refuses all writes until it is opened again when the sync of its log has failed with %s',
    async error => {
      const chosen = spread(points.filter(isLogSync), 2)
      expect(chosen.length).toBeGreaterThan(1)
      const { acknowledged, refused, exits, faults } = await failAtPoints(program, chosen, {
        error,
      })
      expect(faults).toEqual([])
      expect(acknowledged).toBeGreaterThan(0)
      // The last sync may be that of closing, for which nobody waits.
      expect(exits.slice(0, 2)).toEqual([gaveUp, gaveUp])
      expect(refused.map(({ message }) => message).join()).toMatch(
        /may be stored or not.*nothing was stored/,
      )
    },
  )

  it('stores nothing more when the disk is full, says so, and is still read', async () => {
    const options = { error: 'ENOSPC', isLasting: true } as const
    const chosen = spread(points.filter(isWrite), 3)
    const { acknowledged, refused, exits, faults } = await failAtPoints(program, chosen, options)
    expect(faults).toEqual([])
    expect(acknowledged).toBeGreaterThan(0)
    expect(exits).toContain(gaveUp)
    expect(refused.map(({ code }) => code)).toContain('store_full')
  })

  it('would notice a store that does not hear of an error', async () => {
    const writes = points.filter(isWrite)
    // It takes its turn for ended, but must wait for its own lease.
    const options = { error: 'ENOSPC', isLasting: true, fault: 'deaf', leaseMs: 200 } as const
    const chosen = [0.6, 0.7].map(part => writes[Math.floor(part * writes.length)]!)
    const { acknowledged, faults } = await failAtPoints(program, chosen, options)
    expect(acknowledged).toBeGreaterThan(0)
    expect(faults.join()).toContain('was acknowledged and is not there')
  })

  it('has a step whole or not at all when its writer dies of the error', async () => {
    const options = { error: 'EIO', isFragile: true } as const
    const chosen = spread(points.filter(isSync), 2)
    const { acknowledged, refused, faults } = await failAtPoints(program, chosen, options)
    expect(faults).toEqual([])
    expect(refused.length).toBeGreaterThan(0)
    expect(acknowledged).toBeGreaterThan(0)
  })
})

describe.skipIf(reason)('a SQLite log whose machine loses its power', () => {
  it.each([
    ['while it writes', {}, 6],
    ['while it opens and closes the file, too', { isReopening: true }, 4],
  ] as const)('has all that was acknowledged, whole, %s', async (_, options, count) => {
    const choose = <T>(all: readonly T[]) => spread(all, count)
    const { moments, acknowledged, faults } = await cutPower(program, choose, options)
    console.log(
      `power cut at ${isLong ? moments : count} of ${moments} moments, ${acknowledged} steps acknowledged`,
    )
    expect(faults).toEqual([])
    expect(acknowledged).toBeGreaterThan(0)
  })

  it('would notice a store that acknowledges before the disk has it', async () => {
    const { acknowledged, faults } = await cutPower(program, all => all, { fault: 'hasty' })
    expect(acknowledged).toBeGreaterThan(0)
    expect(faults.join()).toContain('was acknowledged and is not there')
  })
})

describe('a SQLite log whose writer is killed at any moment', () => {
  const rounds = isLong ? 100 : 2
  const newPlace = () =>
    ({ kind: 'sqlite', path: join(program.folder, `${crypto.randomUUID()}.db`) }) as const

  it('has all that was acknowledged, whole, and goes on', async () => {
    const { acknowledged, faults } = await killLoop(program, { place: newPlace(), rounds, seed: 7 })
    console.log(`${rounds} writers killed, ${acknowledged} steps acknowledged`)
    expect(faults).toEqual([])
    expect(acknowledged).toBeGreaterThanOrEqual(rounds)
  })

  it.each(controls)('would notice a store that %s', async (_, fault, words) => {
    const { acknowledged, faults } = await killLoop(program, {
      place: newPlace(),
      rounds: 30,
      seed: 7,
      fault,
    })
    expect(acknowledged).toBeGreaterThan(0)
    expect(faults.join()).toContain(words)
  })
})

function isSync({ call }: CrashPoint): boolean {
  return call.endsWith('sync')
}

function isWrite({ call }: CrashPoint): boolean {
  return call.includes('write')
}

/** SQLite syncs by fsync; the store syncs its log by fdatasync, in a thread of its own. */
function isLogSync({ call }: CrashPoint): boolean {
  return call === 'fdatasync'
}
