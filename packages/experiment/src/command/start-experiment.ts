import { setImmediate } from 'node:timers/promises'
import { closedPipe } from '@throughline/server/cli/closed-pipe'
import type { LogOptions } from '@throughline/server/cli/open-log'
import { print, printError, UserError } from '@throughline/server/cli/print'
import { LeaseError } from '@throughline/stores/errors'
import { isPostgres } from '@throughline/stores/store'
import type { Experiment, ExperimentEvent, ExperimentPlan, Experiments } from '../index.ts'
import { type ControlFile, createControlFile, writeExperiments } from './open-experiments.ts'
import { frameOf, type RunState, takeEvent } from './progress.ts'
import { createScreen } from './screen.ts'
import { eventLine, nextLine, resultLine } from './wording.ts'

export interface StartFlags extends LogOptions {
  readonly model?: string
  readonly lease: number
}

/** Runs and shows an experiment. The exit code is 1 for FAILED, 0 for any other end. */
export async function startExperiment(
  { db, tenant, model, lease }: StartFlags,
  {
    id,
    plan,
    file,
  }: { readonly id: string; readonly plan: ExperimentPlan; readonly file?: string },
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
        const watched = watchExperiment(
          begin(experiments, interrupts.signal),
          plan,
          interrupts.sayWith,
        )
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
  const wait =
    error.retryAfterMs === undefined ? '' : ` in ${Math.ceil(error.retryAfterMs / 1000)} s`
  const problem = `${id} is run by another process. If that one died, it is free${wait} when its lease is over`
  throw new UserError(problem, { cause: error })
}

/** Ctrl-C pauses before the next role, then at once, then ends the process. SIGTERM and `| head` pause at once. */
function catchInterrupts() {
  const now = new AbortController()
  let wish: 'pause' | undefined
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

/** Shows an experiment to its end: drawn in place in a terminal, else as plain lines. `sayWith`: how to show hints. */
async function watchExperiment(
  experiment: Experiment,
  plan: ExperimentPlan,
  sayWith: (say: (line: string) => void) => void,
) {
  const isLive = process.stdout.isTTY === true && process.env.TERM !== 'dumb'
  const display = isLive ? liveDisplay(experiment, plan) : lineDisplay()
  sayWith(display.say)
  try {
    for await (const event of experiment) {
      display.take(event)
      // Lets signals and timers run: models of rules and SQLite answer at once, and would block them.
      await setImmediate()
    }
  } finally {
    display.close()
  }
  return experiment.result()
}

function lineDisplay() {
  return {
    take(event: ExperimentEvent): void {
      const line = eventLine(event)
      if (line !== undefined) print(line)
    },
    say: printError,
    close: () => {},
  }
}

const frameMs = 50

function liveDisplay(experiment: Experiment, plan: ExperimentPlan) {
  const screen = createScreen(process.stdout)
  let progress = begin(experiment, plan)
  let drawnAt = 0
  let clock: NodeJS.Timeout | undefined
  let next: NodeJS.Timeout | undefined
  const draw = () => {
    clearTimeout(next)
    next = undefined
    drawnAt = Date.now()
    screen.draw(frameOf(progress, drawnAt))
  }
  return {
    take(event: ExperimentEvent): void {
      // Draws every second, because the frame shows how long a model has been thinking.
      clock ??= setInterval(draw, 1000).unref()
      progress = takeEvent(progress, event, Date.now())
      if (Date.now() - drawnAt >= frameMs) draw()
      else next ??= setTimeout(draw, frameMs).unref()
    },
    say(line: string): void {
      // Part of the frame: a line below it would be overwritten.
      progress = { ...progress, notice: line }
      draw()
    },
    close(): void {
      clearInterval(clock)
      // An experiment that never began draws nothing.
      if (clock) draw()
    },
  }
}

function begin(
  { id }: Experiment,
  { name, maxSteps, roles, goals, environment }: ExperimentPlan,
): RunState {
  const now = Date.now()
  return {
    id,
    name,
    maxSteps,
    environment,
    step: 1,
    began: now,
    roles: roles.map(role => ({ name: role.name, doing: 'waits', since: now })),
    goals: goals.map(({ description, outcome = 'completed' }) => ({
      description,
      outcome,
      isMet: false,
    })),
    changes: [],
  }
}
