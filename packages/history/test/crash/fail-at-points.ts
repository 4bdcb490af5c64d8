import { type RunResult, runTraced } from './run-traced.ts'
import type { WriterProgram } from './start-writer.ts'
import { type CrashPoint, failingAt } from './strace.ts'
import {
  isAcknowledged,
  isRefused,
  type Refused,
  type Step,
  type WriterOptions,
} from './writer-line.ts'

export interface FailOptions extends Partial<WriterOptions> {
  readonly error: 'EIO' | 'ENOSPC'
  /** The disk stays as it is: all calls after the point fail, too. */
  readonly isLasting?: boolean
}

/** A new log for each point, on a disk that fails there. */
export async function failAtPoints(
  program: WriterProgram,
  points: readonly CrashPoint[],
  { error, isLasting = false, ...options }: FailOptions,
): Promise<{
  readonly acknowledged: number
  readonly refused: readonly Refused[]
  readonly exits: readonly (number | null)[]
  readonly faults: readonly string[]
}> {
  const runs: RunResult[] = []
  const faults: string[] = []
  for (const point of points) {
    const run = await runTraced(program, path => failingAt(path, point, error, isLasting), options)
    runs.push(run)
    const found = [...run.faults, ...findBadRefusals(run)]
    faults.push(...found.map(fault => `${point.call} ${point.n}: ${fault}`))
  }
  const refused = runs.flatMap(run => run.refused)
  const acknowledged = runs.flatMap(run => run.acknowledged).length
  return { acknowledged, refused, exits: runs.map(({ exit }) => exit), faults }
}

/**
 * A refusal is an error of ours that names the problem; right after it, what was acknowledged is read, and no more. Only a step
 * that may be stored or not, by its own words, may be read too.
 */
function findBadRefusals({ lines }: RunResult): readonly string[] {
  let stored = 0
  let perhaps = 0
  return lines.flatMap(line => {
    if (isAcknowledged(line)) stored += line.texts.length
    if (!isRefused(line)) return []
    const { step, error, code, message, readable } = line
    if (message.includes('failed to keep what was written')) perhaps = sizes[step]
    const isTyped = error === 'StoreError' && ['store_io', 'store_full'].includes(code)
    // Before the first step there may be no tables to read, and while the file is opened there is nothing to read with.
    const isRead =
      [stored, stored + perhaps].includes(readable) ||
      (readable === -1 && (stored === 0 || step === 'open'))
    return [
      ...(isTyped ? [] : [`${step} was refused with ${error} ${code}: ${message}`]),
      ...(isRead
        ? []
        : [`${readable} messages were read after ${step} was refused, ${stored} are acknowledged`]),
    ]
  })
}

/** How many messages a step writes. */
const sizes: Readonly<Record<Step, number>> = { open: 0, begin: 1, append: 2, complete: 2 }
