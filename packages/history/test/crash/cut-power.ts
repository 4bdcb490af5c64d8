import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sqliteStore } from '@throughline/stores/sqlite'
import { findFaults } from './find-faults.ts'
import { runTraced } from './run-traced.ts'
import type { WriterProgram } from './start-writer.ts'
import { tracedWhole } from './strace.ts'
import { createUnsyncedDisk } from './unsynced-disk.ts'
import {
  type Acknowledged,
  isAcknowledged,
  type WriterLine,
  type WriterOptions,
} from './writer-line.ts'

/** What a loss of power leaves at one moment of a run. */
interface Cut {
  readonly acknowledged: readonly Acknowledged[]
  readonly files: ReadonlyMap<string, Buffer>
}

let cuts = 0

/**
 * Lets a writer write to its end, and takes the power away right after each thing that it was told and each sync: what was
 * not synced is gone, or half of it. `choose` says which of these moments are looked at. Ends early when something is wrong.
 */
export async function cutPower(
  program: WriterProgram,
  choose: (moments: readonly Cut[]) => readonly Cut[],
  options: Partial<WriterOptions> = {},
): Promise<{
  readonly moments: number
  readonly acknowledged: number
  readonly faults: readonly string[]
}> {
  const moments = await findMoments(program, options)
  let acknowledged = 0
  for (const cut of choose(moments)) {
    acknowledged = Math.max(acknowledged, cut.acknowledged.length)
    const faults = await findLost(program, cut)
    if (faults.length > 0) return { moments: moments.length, acknowledged, faults }
  }
  return { moments: moments.length, acknowledged, faults: [] }
}

async function findMoments(
  program: WriterProgram,
  options: Partial<WriterOptions>,
): Promise<readonly Cut[]> {
  const trace = join(program.folder, `cut-${++cuts}.trace`)
  let folder = ''
  const run = await runTraced(
    program,
    path => {
      folder = join(path, '..')
      return tracedWhole(trace)
    },
    options,
  )
  if (run.exit !== 0) throw new Error(`a run without a cut ended with ${run.exit}: ${run.faults}`)
  const disk = createUnsyncedDisk()
  const acknowledged: Acknowledged[] = []
  const moments: Cut[] = []
  for (const line of readFileSync(trace, 'latin1').split('\n')) {
    const taken = disk.take(line)
    if (taken === undefined) continue
    if (taken !== 'synced') acknowledged.push(...readLines(taken.printed).filter(isAcknowledged))
    for (const leaves of ['synced', 'some'] as const)
      moments.push({ acknowledged: [...acknowledged], files: disk.files(folder, leaves) })
  }
  if (acknowledged.length !== run.acknowledged.length)
    throw new Error(`the trace has ${acknowledged.length} of ${run.acknowledged.length} steps`)
  return moments
}

const readLines = (text: string): readonly WriterLine[] =>
  text.split('\n').flatMap(line => (line.startsWith('{') ? [JSON.parse(line) as WriterLine] : []))

/** Opens what a cut has left, as the next process would. */
async function findLost(
  program: WriterProgram,
  { acknowledged, files }: Cut,
): Promise<readonly string[]> {
  const folder = join(program.folder, `cut-${++cuts}`)
  mkdirSync(folder)
  for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes)
  const store = sqliteStore({ path: join(folder, 'log.db') })
  try {
    return await findFaults({ store, conversation: 'trip', acknowledged })
  } finally {
    await store.close()
  }
}
