import type { Emit, TurnData, TurnOptions } from '@throughline/chat/turn'
import type { MessageLike } from '@throughline/core/messages'
import type { History, Thread } from '@throughline/history'
import { experimentActor } from '@throughline/history/log'
import type { StoredTurn } from '@throughline/stores/store'
import { applyChange, type Environment, type Patch } from '../environment.ts'
import { ExperimentError, unlessRefused } from '../experiment-error.ts'
import type { ExperimentEvent } from '../experiment-event.ts'
import type { ExperimentPlan } from '../plan/define-experiment.ts'
import { controlActor } from '../plan/role.ts'
import type { ExperimentLog, ExperimentState, Wish } from './experiment-log.ts'
import { beginState, foldEntry, fromEntryMessage, lastSnapshot, stepsOf } from './experiment-log.ts'

export interface ExperimentThreads {
  readonly id: string
  /** The steps of the experiment, as they were settled. */
  readonly mainThread: Thread
  /** The wishes of other processes. */
  readonly control: Thread
  readonly roleThread: (role: string) => Thread
}

export function threadsOf(history: History, id: string): ExperimentThreads {
  const roleThread = (actor: string) => history.thread(id, { actor })
  return {
    id,
    mainThread: roleThread(experimentActor),
    control: roleThread(controlActor),
    roleThread,
  }
}

/** Begins a turn; undefined if one of this key was begun before, also with another text. */
export async function beginOnce(
  thread: Thread,
  input: MessageLike | readonly MessageLike[],
  key: string,
) {
  const begun = await unlessRefused('key_reused', thread.begin(input, { key }))
  return begun?.kind === 'begun' ? begun.turn : undefined
}

export type DatedState = Awaited<ReturnType<typeof readState>>

/** Reads where an experiment stands, with the times of the first and the last entry. Throws if there is none. */
export async function readState({ id, mainThread }: ExperimentThreads) {
  const logged = await mainThread.entries()
  const [created, ...entries] = logged.map(fromEntryMessage)
  if (created?.kind === 'created') {
    const times = { startedAt: logged[0]!.time, updatedAt: logged.at(-1)!.time }
    return { ...entries.reduce(foldEntry, beginState(created)), ...times }
  }
  throw new ExperimentError('no_experiment', `There is no experiment "${id}".`)
}

/** What the log stores beside the messages of a role's turn. */
export interface RoleData extends TurnData {
  /** What a tool changed: in the same entry as its result, so that both are stored or neither. */
  readonly patches?: readonly Patch[]
  /** The hook that injected this message. */
  readonly hook?: string
}

/** The idempotency key of a role's turn. A second attempt is made if another process closed the first. */
export const turnKey = (step: number, attempt: number): string =>
  attempt === 1 ? `step/${step}` : `step/${step}/${attempt}`

export function stepOf({ key = '' }: StoredTurn): number | undefined {
  const step = /^step\/(\d+)(?:\/\d+)?$/.exec(key)?.[1]
  return step === undefined ? undefined : Number(step)
}

export const stepTurns = async (thread: Thread, step: number): Promise<readonly StoredTurn[]> =>
  (await thread.turns()).filter(turn => stepOf(turn) === step)

/** The environment in the middle of a step: as it was at its beginning, with the changes of the roles' turns. */
export async function foldStep({ roleThread }: ExperimentThreads, state: ExperimentState) {
  let environment = lastSnapshot(state)
  for (const role of state.created.roles) {
    const thread = roleThread(role)
    for (const { first, last } of await stepTurns(thread, stepsOf(state) + 1))
      for (const { data } of await thread.entries({ at: last, limit: last - first + 1 }))
        environment = applyChange(environment, (data as RoleData | undefined)?.patches ?? [])
  }
  return environment
}

/** Closes the open turns of an experiment that ends. A turn that is still leased stays. */
export async function cancelTurns(
  { roleThread }: ExperimentThreads,
  state: ExperimentState,
): Promise<void> {
  for (const role of state.created.roles) {
    const cancelled = roleThread(role)
      .resume()
      .then(left => left?.turn.cancel())
    await unlessRefused('turn_open', cancelled)
  }
}

/** Options for all experiments of a history. */
export interface ExperimentsOptions extends Pick<TurnOptions, 'stallMs' | 'backoffMs'> {
  /** Where experiments are stored. */
  readonly history: History
  /** The ids of experiments. Default `crypto.randomUUID`. */
  readonly newId?: () => string
  /** Gives wishes from outside the log: an SQLite file has one writer, so other processes cannot log theirs. */
  readonly wishOf?: (id: string) => Wish | undefined | Promise<Wish | undefined>
  /** How long a tool may take. Default one minute. */
  readonly toolTimeoutMs?: number
}

/** An experiment that this process runs. */
export interface ActiveExperiment extends ExperimentsOptions, ExperimentThreads {
  readonly plan: ExperimentPlan
  readonly log: ExperimentLog
  readonly emit: Emit<ExperimentEvent>
  /** Aborted by the caller, or because the lease was lost. */
  readonly signal: AbortSignal
  readonly isResumed: boolean
  /** The current environment: the last snapshot with the changes of tools since. */
  environment: Environment
  /** The step that is open, or comes next. */
  readonly step: number
}
