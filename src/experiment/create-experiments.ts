import { eachConversation } from '../history/create-history.ts'
import type { MessageLike } from '../log/message.ts'
import { refuseUnknown } from '../log/refuse-unknown.ts'
import { createOngoing, type Ongoing } from '../turn/ongoing.ts'
import type { Emit } from '../turn/turn-part.ts'
import { linkSignals } from '../turn/wait/link-signals.ts'
import { conduct } from './conduct.ts'
import { ExperimentError } from './experiment-error.ts'
import type { ExperimentEvent, ExperimentResult } from './experiment-event.ts'
import { type ExperimentLog, lastSnapshot, stepsOf } from './log/experiment-log.ts'
import type { ExperimentsOptions, ExperimentThreads } from './log/experiment-threads.ts'
import { readState, threadsOf } from './log/experiment-threads.ts'
import { isExperiment } from './log/shown-store.ts'
import type { ExperimentPlan } from './plan/define-experiment.ts'
import { type ExperimentSummary, type ExperimentView, showExperiment, summarize } from './show-experiment.ts'
import { type ExperimentStep, type StepRange, showSteps } from './show-steps.ts'
import { beginExperiment, checkPlan, settleWish, takeExperiment } from './take-experiment.ts'

/**
 * An experiment as it runs. It begins when its events are read or its result is awaited. A reader who stops pauses it, and
 * waits until it is paused. A failed experiment is a result; only errors of the store or the lease reject.
 */
export interface Experiment extends Ongoing<ExperimentEvent, ExperimentResult> {
  readonly id: string
}

export interface StartOptions {
  /** Pauses the experiment at once: the open turn stays as it is, and `resume` goes on with it. */
  readonly signal?: AbortSignal
  /** The first pause before a model call is made again. Default: that of `createExperiments`. */
  readonly backoffMs?: number
}

export interface RunOptions extends StartOptions {
  /** The id of the new experiment. Default: a random one. */
  readonly id?: string
}

export interface Experiments {
  /** Runs a plan as a new experiment. */
  run(plan: ExperimentPlan, options?: RunOptions): Experiment
  /** Goes on with an experiment that is paused or was killed. Rejects with `turn_open` while another process runs it. */
  resume(plan: ExperimentPlan, id: string, options?: StartOptions): Experiment
  /** `asked`: the process that runs it will pause before the next role acts. `done`: it is paused. */
  pause(id: string): Promise<'asked' | 'done'>
  stop(id: string): Promise<'asked' | 'done'>
  list(): Promise<readonly ExperimentSummary[]>
  show(id: string): Promise<ExperimentView>
  /** What each role did in each step. Default: all steps. */
  steps(id: string, range?: StepRange): Promise<readonly ExperimentStep[]>
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
  refuseUnknown(options, { history: 1, newId: 1, wishOf: 1, stallMs: 1, toolTimeoutMs: 1, backoffMs: 1 })
  const { newId = () => crypto.randomUUID() } = options
  // Without a person: experiments do not recall chats, nor chats experiments.
  const history = options.history.of(options.history.tenant)

  /** `take` gives undefined for an experiment that has ended. */
  function start(
    id: string,
    plan: ExperimentPlan,
    { signal, backoffMs = options.backoffMs }: StartOptions,
    isResumed: boolean,
    take: (threads: ExperimentThreads) => Promise<ExperimentLog | undefined>,
  ): Experiment {
    const threads = threadsOf(history, id)
    async function run(emit: Emit<ExperimentEvent>, left: AbortSignal): Promise<ExperimentResult> {
      const log = await take(threads)
      if (!log) return { id, ...(await readState(threads)).ended! }
      const linked = linkSignals(log.signal, left, signal)
      try {
        return await conduct({
          ...{ ...options, backoffMs, ...threads, plan, emit, log, isResumed },
          signal: linked.signal,
          environment: lastSnapshot(log.state),
          get step() {
            return stepsOf(log.state) + 1
          },
        })
      } finally {
        linked.unlink()
      }
    }
    const ongoing = createOngoing<ExperimentEvent, ExperimentResult>({
      async run({ emit, settle, left }) {
        const result = await run(emit, left)
        settle(result)
        const { status, ...rest } = result
        await emit(
          status === 'PAUSED' ? { type: 'paused', ...rest } : { type: 'experiment-ended', status, ...rest },
        )
      },
      // An experiment that has not begun cannot be paused; its result must not stay pending.
      leave({ reject }) {
        const problem = `The experiment "${id}" was left before it began, so nothing has happened: run it again.`
        reject(new ExperimentError('experiment_left', problem))
      },
      unread: `The experiment "${id}" was neither awaited nor read, so it does not run: await it, or read its events with "for await".`,
    })
    return { id, ...ongoing }
  }

  return {
    run: (plan, { id = newId(), ...startOptions } = {}) =>
      start(id, plan, startOptions, false, threads => beginExperiment(threads, plan)),
    resume: (plan, id, startOptions = {}) =>
      start(id, plan, startOptions, true, async threads => {
        checkPlan(await readState(threads), plan)
        return takeExperiment(threads)
      }),
    pause: id => settleWish(threadsOf(history, id), 'pause'),
    stop: id => settleWish(threadsOf(history, id), 'stop'),
    async list() {
      const summaries: ExperimentSummary[] = []
      for await (const info of eachConversation(history.conversations)) {
        if (!isExperiment(info)) continue
        const threads = threadsOf(history, info.conversation)
        summaries.push(await summarize(threads, await readState(threads)))
      }
      return summaries
    },
    show: id => showExperiment(threadsOf(history, id)),
    steps: (id, range) => showSteps(threadsOf(history, id), range),
    async history(id, role) {
      const threads = threadsOf(history, id)
      const { roles } = (await readState(threads)).created
      if (roles.includes(role)) return threads.roleThread(role).messages()
      const problem = `The experiment "${id}" has no role "${role}". It has: ${roles.join(', ')}.`
      throw new ExperimentError('unknown_role', problem)
    },
  }
}
