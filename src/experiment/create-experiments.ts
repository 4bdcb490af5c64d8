import type { MessageLike } from '../log/message.ts'
import { ExperimentError } from './experiment-error.ts'
import { createExperimentRun, type ExperimentRun } from './experiment-run.ts'
import type { ExperimentPlan } from './plan.ts'
import { runActor } from './role.ts'
import { type Run, type RunOptions, roleThread } from './run.ts'
import { runExperiment, tell } from './run-experiment.ts'
import type { RunLog } from './run-log.ts'
import { lastSnapshot, stepsOf } from './run-state.ts'
import { settleWish } from './settle-wish.ts'
import {
  type ExperimentSummary,
  type ExperimentView,
  showExperiment,
  summarizeExperiment,
} from './show-experiment.ts'
import { foldStep } from './step-turns.ts'
import { checkPlan, createRun, readState, takeRun } from './take-experiment.ts'

export interface ExperimentsOptions extends RunOptions {
  readonly newId?: () => string
}

export interface StartOptions {
  /** Pauses the experiment at once: the turn that is being answered is cancelled, and taken again on resume. */
  readonly signal?: AbortSignal
  readonly backoffMs?: number
}

export interface Experiments {
  /** Runs a plan as a new experiment. Default id: a new one. */
  run(plan: ExperimentPlan, options?: StartOptions & { readonly id?: string }): ExperimentRun
  /** Goes on with one that is paused or was killed. Refused with `turn_open` while another process runs it. */
  resume(plan: ExperimentPlan, id: string, options?: StartOptions): ExperimentRun
  /** `asked`: whoever runs it pauses before the next role acts. `done`: nobody runs it now. */
  pause(id: string): Promise<'asked' | 'done'>
  stop(id: string): Promise<'asked' | 'done'>
  list(): Promise<readonly ExperimentSummary[]>
  show(id: string): Promise<ExperimentView>
  /** All that a role was told and has said. */
  history(id: string, role: string): Promise<readonly MessageLike[]>
}

/**
 * Experiments in a history: each is a conversation, each role has a thread in it.
 *
 * @example
 * const experiments = createExperiments({ history })
 * const { status, result } = await experiments.run(plan).result()
 */
export function createExperiments(options: ExperimentsOptions): Experiments {
  const { history, newId = () => crypto.randomUUID() } = options

  const toRun = (id: string, plan: ExperimentPlan, log: RunLog, start: StartOptions): Run => ({
    ...options,
    ...(start.backoffMs !== undefined && { backoffMs: start.backoffMs }),
    id,
    plan,
    log,
    signal: AbortSignal.any([log.signal, ...(start.signal ? [start.signal] : [])]),
    isResumed: false,
    environment: lastSnapshot(log.state),
    step: stepsOf(log.state) + 1,
  })

  return {
    run(plan, { id = newId(), ...start } = {}) {
      return createExperimentRun(id, async function* () {
        return yield* runExperiment(toRun(id, plan, await createRun(options, id, plan), start))
      })
    },
    resume(plan, id, start = {}) {
      return createExperimentRun(id, async function* () {
        const state = await readState(options, id)
        checkPlan(state, plan)
        if (state.ended) return yield* tell({ id, ...state.ended })
        const run = toRun(id, plan, await takeRun(options, id), start)
        const roles = plan.roles.map(({ name }) => name)
        const environment = await foldStep(options, {
          id,
          roles,
          step: run.step,
          environment: run.environment,
        })
        return yield* runExperiment({ ...run, environment, isResumed: true })
      })
    },
    pause: id => settleWish(options, id, 'pause'),
    stop: id => settleWish(options, id, 'stop'),
    async list() {
      const found: ExperimentSummary[] = []
      for (let after: string | undefined; ; ) {
        const page = await history.conversations({ limit: 100, ...(after !== undefined && { after }) })
        for (const { conversation, threads } of page)
          if (threads.some(({ actor }) => actor === runActor))
            found.push(await summarizeExperiment(options, conversation))
        after = page.at(-1)?.conversation
        if (page.length < 100) return found
      }
    },
    show: id => showExperiment(options, id),
    async history(id, role) {
      const { roles } = (await readState(options, id)).created
      if (roles.includes(role)) return roleThread(options, id, role).messages()
      const problem = `The experiment "${id}" has no role "${role}". It has: ${roles.join(', ')}.`
      throw new ExperimentError('unknown_role', problem)
    },
  }
}
