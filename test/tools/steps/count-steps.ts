import { type Profiler, Session } from 'node:inspector'
import { countNatives } from './count-natives.ts'

/**
 * How many steps a piece of work takes: the blocks of code that it runs, as V8 counts them for coverage, and the characters and
 * items that native functions look at. The number depends on nothing but the code and its input, so that a busy or a slow
 * machine counts the same.
 *
 * V8 counts blocks only in functions that run for the first time after this file was loaded: import it at the top of a test.
 */
export function countSteps(work: () => unknown): number {
  take()
  const natives = countNatives(work)
  let blocks = 0
  for (const { url, functions } of take())
    if (!url.includes('/test/tools/steps/'))
      for (const { ranges, isBlockCoverage } of functions)
        if (isBlockCoverage) for (const { count } of ranges) blocks += count
  return blocks + natives
}

// What counts has run by then, so that V8 does not count in it: it would be slow.
countNatives(() => [/(?:a|b)*c|d(?=e)/.test('abe'), ...'ab'])

const session = new Session()
session.connect()
session.post('Profiler.enable')
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })

/** What has run since it was last asked. A session in its own thread answers at once. */
function take(): readonly Profiler.ScriptCoverage[] {
  let taken: readonly Profiler.ScriptCoverage[] | undefined
  session.post('Profiler.takePreciseCoverage', (error, { result }) => {
    if (error) throw error
    taken = result
  })
  if (!taken) throw new Error('The inspector gave no counts.')
  return taken
}
