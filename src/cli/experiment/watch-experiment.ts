import { setImmediate } from 'node:timers/promises'
import type { Experiment, ExperimentEvent, ExperimentPlan, ExperimentResult } from '../../experiment/index.ts'
import { print, printError } from '../print.ts'
import { frameOf, type RunState, takeEvent } from './progress.ts'
import { createScreen } from './screen.ts'
import { eventLine } from './wording.ts'

/** Shows an experiment to its end: drawn in place in a terminal, else as plain lines. `sayWith`: how to show hints. */
export async function watchExperiment(
  experiment: Experiment,
  plan: ExperimentPlan,
  sayWith: (say: (line: string) => void) => void,
): Promise<ExperimentResult> {
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

function begin({ id }: Experiment, { name, maxSteps, roles, goals, environment }: ExperimentPlan): RunState {
  const now = Date.now()
  return {
    ...{ id, name, maxSteps, environment },
    step: 1,
    began: now,
    roles: roles.map(role => ({ name: role.name, doing: 'waits', since: now })),
    goals: goals.map(({ description, outcome = 'completed' }) => ({ description, outcome, isMet: false })),
    changes: [],
  }
}
