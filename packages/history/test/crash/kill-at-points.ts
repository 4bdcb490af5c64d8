import { runTraced } from './run-traced.ts'
import type { WriterProgram } from './start-writer.ts'
import { type CrashPoint, killedAt } from './strace.ts'
import type { WriterOptions } from './writer-line.ts'

/** Kills a writer at each point, each time on a new log. Returns the faults. */
export async function killAtPoints(
  program: WriterProgram,
  points: readonly CrashPoint[],
  options: Partial<WriterOptions> = {},
): Promise<{ readonly acknowledged: number; readonly faults: readonly string[] }> {
  const faults: string[] = []
  let acknowledged = 0
  for (const point of points) {
    const run = await runTraced(program, path => killedAt(path, point), options)
    const found = run.exit === null ? run.faults : ['the writer was not killed', ...run.faults]
    faults.push(...found.map(fault => `${point.call} ${point.n}: ${fault}`))
    acknowledged += run.acknowledged.length
    // A control has been caught; of a store that should hold, one broken log is enough to look at.
    if (faults.length > 0) break
  }
  return { acknowledged, faults }
}
