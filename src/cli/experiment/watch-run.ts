import { setImmediate } from 'node:timers/promises'
import type { ExperimentPlan, ExperimentResult, ExperimentRun } from '../../experiment/index.ts'
import { print } from '../log/open-log.ts'
import { frameOf } from './frame.ts'
import { type Progress, takeEvent } from './progress.ts'
import { createScreen } from './screen.ts'
import { eventLine } from './wording.ts'

/** Reads an experiment to its end and shows it: drawn in place in a terminal, as plain lines anywhere else. */
export async function watchRun(run: ExperimentRun, plan: ExperimentPlan): Promise<ExperimentResult> {
  const isLive = process.stdout.isTTY === true && process.env.TERM !== 'dumb'
  const display = isLive ? liveDisplay(run, plan) : lineDisplay()
  try {
    for await (const event of run) {
      display.take(event)
      // Rules answer at once and a file is written at once: without this, no signal and no timer would have its turn.
      await setImmediate()
    }
  } finally {
    display.close()
  }
  return run.result()
}

interface Display {
  take(event: Parameters<typeof takeEvent>[1]): void
  close(): void
}

function lineDisplay(): Display {
  return {
    take(event) {
      const line = eventLine(event)
      if (line !== undefined) print(line)
    },
    close: () => {},
  }
}

/** A frame is drawn at most so often; more could not be read. */
const frameMs = 50

function liveDisplay(run: ExperimentRun, plan: ExperimentPlan): Display {
  const screen = createScreen(process.stdout)
  let progress = begin(run, plan)
  let drawnAt = 0
  let timer: NodeJS.Timeout | undefined
  const draw = () => {
    drawnAt = Date.now()
    screen.draw(frameOf(progress, drawnAt))
  }
  return {
    take(event) {
      // For a model that thinks: its clock goes on.
      timer ??= setInterval(draw, 1000).unref()
      progress = takeEvent(progress, event, Date.now())
      if (Date.now() - drawnAt >= frameMs) draw()
    },
    close() {
      clearInterval(timer)
      // What never began leaves nothing behind.
      if (timer) draw()
    },
  }
}

function begin(
  { id }: ExperimentRun,
  { name, maxSteps, roles, goals, environment }: ExperimentPlan,
): Progress {
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
