import type { Experiment, ExperimentPlan, Experiments, Wish } from '../../experiment/index.ts'
import { LeaseError } from '../../stores/store-error.ts'
import { closedPipe } from '../closed-pipe.ts'
import { isPostgres, type LogOptions } from '../open-log.ts'
import { print, printError, UserError } from '../print.ts'
import { type ControlFile, createControlFile, writeExperiments } from './open-experiments.ts'
import { watchExperiment } from './watch-experiment.ts'
import { nextLine, resultLine } from './wording.ts'

export interface StartFlags extends LogOptions {
  readonly model?: string
  readonly lease: number
}

/** Runs and shows an experiment. The exit code is 1 for FAILED, 0 for any other end. */
export async function startExperiment(
  { db, tenant, model, lease }: StartFlags,
  { id, plan, file }: { readonly id: string; readonly plan: ExperimentPlan; readonly file?: string },
  begin: (experiments: Experiments, signal: AbortSignal) => Experiment,
): Promise<void> {
  const interrupts = catchInterrupts()
  let control: ControlFile | undefined
  const wishOf = (id: string) => interrupts.wishOf() ?? control?.wishOf(id)
  try {
    const { checkModels } = await import('./load-plan.ts')
    await checkModels(plan, interrupts.signal)
    await writeExperiments({ db, tenant }, { leaseMs: lease * 1000, wishOf }, async experiments => {
      if (!isPostgres(db)) control = createControlFile(db, id)
      try {
        const watched = watchExperiment(begin(experiments, interrupts.signal), plan, interrupts.sayWith)
        const result = await watched.catch(error => refuseTaken(id, error))
        print(resultLine(result))
        const next = nextLine(result, { db, tenant, plan: file, model })
        if (next !== undefined) print(next)
        if (result.status === 'FAILED') process.exitCode = 1
      } finally {
        control?.close()
      }
    })
  } finally {
    interrupts.close()
  }
  // After a second Ctrl-C, does not wait for timers and connections that a plan has left open.
  if (interrupts.signal.aborted) process.stdout.write('', () => process.exit())
}

/** Explains `turn_open`. Happens on PostgreSQL only: an SQLite file has one writer, this process. */
function refuseTaken(id: string, error: unknown): never {
  if (!(error instanceof LeaseError) || error.code !== 'turn_open') throw error
  const wait = error.retryAfterMs === undefined ? '' : ` in ${Math.ceil(error.retryAfterMs / 1000)} s`
  const problem = `${id} is run by another process. If that one died, it is free${wait} when its lease is over`
  throw new UserError(problem, { cause: error })
}

/** Ctrl-C pauses before the next role, then at once, then ends the process. SIGTERM and `| head` pause at once. */
function catchInterrupts() {
  const now = new AbortController()
  let wish: Wish | undefined
  let say: (line: string) => void = printError
  const onInterrupt = () => {
    if (now.signal.aborted) process.exit(130)
    if (wish) return onTerminate()
    wish = 'pause'
    say('Pauses before the next role acts. Press Ctrl-C again to leave at once.')
  }
  const onTerminate = () => {
    wish = 'pause'
    now.abort(new Error('The experiment was interrupted.'))
  }
  process.on('SIGINT', onInterrupt).on('SIGTERM', onTerminate).on(closedPipe, onTerminate)
  return {
    wishOf: () => wish,
    signal: now.signal,
    sayWith(print: (line: string) => void) {
      say = print
    },
    close() {
      process.off('SIGINT', onInterrupt).off('SIGTERM', onTerminate).off(closedPipe, onTerminate)
    },
  }
}
