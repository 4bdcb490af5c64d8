import { createOngoing, type Emit, linkSignals, type Ongoing } from '@throughline/chat/turn'
import { refuseUnknown } from '@throughline/core/errors'
import type { MessageLike } from '@throughline/core/messages'
import { toCanonical } from '@throughline/core/values'
import { isExperiment } from '@throughline/history/log'
import { eachConversation } from '@throughline/history/threads'
import { LeaseError } from '@throughline/stores/errors'
import { conduct } from './conduct.ts'
import { ExperimentError, unlessRefused } from './experiment-error.ts'
import type { ExperimentEvent, ExperimentResult } from './experiment-event.ts'
import type {
  Created,
  ExperimentEntry,
  ExperimentLog,
  ExperimentState,
  Wish,
} from './log/experiment-log.ts'
import {
  beginState,
  createExperimentLog,
  endOf,
  foldEntry,
  lastSnapshot,
  leaveWish,
  readWishes,
  stepsOf,
  toEntryMessage,
} from './log/experiment-log.ts'
import type { ExperimentsOptions, ExperimentThreads } from './log/experiment-threads.ts'
import { beginOnce, cancelTurns, foldStep, readState, threadsOf } from './log/experiment-threads.ts'
import type { ExperimentPlan } from './plan/define-experiment.ts'
import {
  type ExperimentSummary,
  type ExperimentView,
  showExperiment,
  summarize,
} from './show-experiment.ts'
import { type ExperimentStep, type StepRange, showSteps } from './show-steps.ts'

/** Begins when read or awaited. A reader who stops pauses it, and waits for that. Only store and lease errors reject. */
export interface Experiment extends Ongoing<ExperimentEvent, ExperimentResult> {
  /** Its name in the history: that of its conversation. */
  readonly id: string
}

/** How an experiment is run. */
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

/** The experiments of a history. */
export interface Experiments {
  /** Runs a plan as a new experiment. */
  run(plan: ExperimentPlan, options?: RunOptions): Experiment
  /** Goes on with an experiment that is paused or was killed. Rejects with `turn_open` while another process runs it. */
  resume(plan: ExperimentPlan, id: string, options?: StartOptions): Experiment
  /** `asked`: the process that runs it will pause before the next role acts. `done`: it is paused. */
  pause(id: string): Promise<'asked' | 'done'>
  /** Ends an experiment for good. `asked`: before the next role acts. `done`: it has ended. */
  stop(id: string): Promise<'asked' | 'done'>
  /** All experiments of the history, by name. */
  list(): Promise<readonly ExperimentSummary[]>
  /** Where an experiment stands. Rejects with `no_experiment` if there is none. */
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
  refuseUnknown(options, {
    history: 1,
    newId: 1,
    wishOf: 1,
    stallMs: 1,
    toolTimeoutMs: 1,
    backoffMs: 1,
  })
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
          status === 'PAUSED'
            ? { type: 'paused', ...rest }
            : { type: 'experiment-ended', status, ...rest },
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

async function beginExperiment({ id, mainThread }: ExperimentThreads, plan: ExperimentPlan) {
  const created = toCreated(plan)
  const turn = await beginOnce(mainThread, toEntryMessage(created), runKey(1))
  if (turn) return createExperimentLog(turn, beginState(created))
  const problem = `There is an experiment "${id}" already: resume it, or choose another id.`
  throw new ExperimentError('experiment_exists', problem)
}

/** Takes over a paused or left experiment. Undefined when it has ended; throws `turn_open` while another process runs it. */
async function takeExperiment(threads: ExperimentThreads): Promise<ExperimentLog | undefined> {
  const { id, mainThread, control } = threads
  // Counted before the state is read: if this process begins the turn of this number, no other process has written since.
  const number = (await mainThread.turns()).length + 1
  const left = await mainThread.resume()
  try {
    const before = await readState(threads)
    if (before.ended) {
      await left?.turn.leave()
      return undefined
    }
    const { wish, last } = await readWishes(control, before.wishes)
    // Resuming cancels earlier wishes to pause, but not a wish to stop.
    const entry: ExperimentEntry = {
      kind: 'resumed',
      wishes: wish === 'stop' ? before.wishes : last,
    }
    if (left) {
      const log = createExperimentLog(left.turn, before)
      await log.append(entry)
      return log
    }
    const turn = await beginOnce(mainThread, toEntryMessage(entry), runKey(number))
    if (turn) return createExperimentLog(turn, foldEntry(before, entry))
  } catch (error) {
    await left?.turn.leave().catch(() => undefined)
    throw error
  }
  throw new LeaseError('turn_open', `The experiment "${id}" was just resumed by another process.`)
}

/** Pauses or stops an experiment: at once, or by asking the process that runs it, before the next role acts. */
async function settleWish(threads: ExperimentThreads, wish: Wish): Promise<'asked' | 'done'> {
  const { ended, isPaused } = await readState(threads)
  if (ended) {
    const problem = `The experiment "${threads.id}" has ended as ${ended.status}.`
    throw new ExperimentError('experiment_ended', problem)
  }
  if (isPaused && wish === 'pause') return 'done'
  const tryTake = () => unlessRefused('turn_open', takeExperiment(threads))
  let log = await tryTake()
  if (!log) {
    await leaveWish(threads.control, wish)
    // Once more: the process that ran the experiment may have left without seeing the wish.
    log = await tryTake()
  }
  if (!log) return 'asked'
  try {
    const { state } = log
    if (wish === 'stop') await cancelTurns(threads, state)
    await log.close(endOf[wish], await foldStep(threads, state))
  } catch (error) {
    await log.leave()
    throw error
  }
  return 'done'
}

/** The key of a turn of the experiment's own thread makes sure that only one of two processes begins it. */
const runKey = (number: number) => `run/${number}`

/** Refuses a plan with other roles or variables than the experiment. Limits, models, prompts and goals may change. */
function checkPlan({ created }: ExperimentState, plan: ExperimentPlan): void {
  const now = toCreated(plan)
  for (const part of ['name', 'roles', 'variables'] as const) {
    // The order of roles matters, that of variables does not.
    if (toCanonical(now[part]) === toCanonical(created[part])) continue
    const problem = `This plan differs in its ${part} from the one that the experiment was begun with`
    throw new ExperimentError('plan_changed', `${problem}: resume it with its own.`)
  }
}

function toCreated({
  name,
  roles,
  variables,
  goals,
  maxSteps,
  environment,
  json,
}: ExperimentPlan): Created {
  return {
    kind: 'created',
    version: 1,
    name,
    roles: roles.map(role => role.name),
    variables: Object.fromEntries(variables),
    goals: goals.map(({ description, outcome = 'completed' }) => ({ description, outcome })),
    maxSteps,
    environment,
    plan: json,
  }
}
