import type { MessageLike } from '../log/message.ts'
import type { ConversationInfo } from '../stores/store.ts'
import { linkSignals } from '../turn/index.ts'
import { conduct } from './conduct.ts'
import { settleWish } from './control/settle-wish.ts'
import { beginExperiment, checkPlan, readState, takeExperiment } from './control/take-experiment.ts'
import { createExperiment, type Experiment } from './experiment.ts'
import { ExperimentError } from './experiment-error.ts'
import { type ExperimentsOptions, roleThread } from './log/active-experiment.ts'
import type { ExperimentLog } from './log/experiment-log.ts'
import { lastSnapshot, stepsOf } from './log/experiment-state.ts'
import type { ExperimentPlan } from './plan/plan.ts'
import { experimentActor } from './plan/role.ts'
import {
  type ExperimentSummary,
  type ExperimentView,
  showExperiment,
  summarizeExperiment,
} from './show-experiment.ts'

export interface StartOptions {
  /** Pauses the experiment at once: the open turn stays as it is, and `resume` goes on with it. */
  readonly signal?: AbortSignal
  readonly backoffMs?: number
}

export interface Experiments {
  /** Runs a plan as a new experiment. Default `id`: a random one. */
  run(plan: ExperimentPlan, options?: StartOptions & { readonly id?: string }): Experiment
  /** Goes on with an experiment that is paused or was killed. Rejects with `turn_open` while another process runs it. */
  resume(plan: ExperimentPlan, id: string, options?: StartOptions): Experiment
  /** `asked`: the process that runs it will pause before the next role acts. `done`: it is paused. */
  pause(id: string): Promise<'asked' | 'done'>
  stop(id: string): Promise<'asked' | 'done'>
  list(): Promise<readonly ExperimentSummary[]>
  show(id: string): Promise<ExperimentView>
  /** The messages of a role's thread. */
  history(id: string, role: string): Promise<readonly MessageLike[]>
}

/**
 * Opens the experiments of a history. Each is a conversation, in which each role has a thread.
 *
 * @example
 * const experiments = createExperiments({ history })
 * const { status, result } = await experiments.run(plan).result()
 */
export function createExperiments(options: ExperimentsOptions): Experiments {
  const { history, newId = () => crypto.randomUUID() } = options

  /** `take` gives undefined for an experiment that has ended. */
  const start = (
    id: string,
    plan: ExperimentPlan,
    { signal, backoffMs }: StartOptions,
    take: () => Promise<{ readonly log: ExperimentLog; readonly isResumed: boolean } | undefined>,
  ): Experiment =>
    createExperiment(id, async (emit, left) => {
      const taken = await take()
      if (!taken) return { id, ...(await readState(options, id)).ended! }
      const { log } = taken
      const linked = linkSignals(log.signal, left, signal)
      try {
        return await conduct({
          ...options,
          ...(backoffMs !== undefined && { backoffMs }),
          ...{ id, plan, emit, ...taken },
          signal: linked.signal,
          environment: lastSnapshot(log.state),
          step: stepsOf(log.state) + 1,
        })
      } finally {
        linked.unlink()
      }
    })

  return {
    run: (plan, { id = newId(), ...given } = {}) =>
      start(id, plan, given, async () => ({
        log: await beginExperiment(options, id, plan),
        isResumed: false,
      })),
    resume: (plan, id, given = {}) =>
      start(id, plan, given, async () => {
        const state = await readState(options, id)
        checkPlan(state, plan)
        const log = state.ended ? undefined : await takeExperiment(options, id)
        return log && { log, isResumed: true }
      }),
    pause: id => settleWish(options, id, 'pause'),
    stop: id => settleWish(options, id, 'stop'),
    async list() {
      const found: ExperimentSummary[] = []
      for (let after: ConversationInfo | undefined; ; ) {
        const page = await history.conversations({ order: 'name', limit: 100, after })
        for (const { conversation, threads } of page)
          if (threads.some(({ actor }) => actor === experimentActor))
            found.push(await summarizeExperiment(options, conversation))
        after = page.at(-1)
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
