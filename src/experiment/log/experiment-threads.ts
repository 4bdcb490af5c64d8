import type { History, Thread, Turn } from '../../history/index.ts'
import type { MessageLike } from '../../log/message.ts'
import type { StoredTurn } from '../../stores/store.ts'
import type { TurnData } from '../../turn/index.ts'
import type { Environment } from '../environment.ts'
import { applyChange, type Patch } from '../environment.ts'
import { ExperimentError, unlessRefused } from '../experiment-error.ts'
import { controlActor, experimentActor } from '../plan/role.ts'
import {
  beginState,
  type ExperimentState,
  foldEntry,
  fromEntryMessage,
  lastSnapshot,
  stepsOf,
} from './experiment-log.ts'

/** The threads of one experiment. */
export interface ExperimentThreads {
  readonly id: string
  /** The experiment's own: its steps as they were settled. */
  readonly own: Thread
  /** The wishes of other processes. */
  readonly control: Thread
  readonly roleThread: (role: string) => Thread
}

export function threadsOf(history: History, id: string): ExperimentThreads {
  const roleThread = (actor: string) => history.thread(id, { actor })
  return { id, own: roleThread(experimentActor), control: roleThread(controlActor), roleThread }
}

/** Begins a turn; undefined if one of this key was begun before, also with another text. */
export async function beginOnce(
  thread: Thread,
  input: MessageLike | readonly MessageLike[],
  key: string,
): Promise<Turn | undefined> {
  const begun = await unlessRefused('key_reused', thread.begin(input, { key }))
  return begun?.kind === 'begun' ? begun.turn : undefined
}

/** Reads where an experiment stands. Throws if there is none of this id. */
export async function readState({ id, own }: ExperimentThreads): Promise<ExperimentState> {
  const [created, ...entries] = (await own.entries()).map(fromEntryMessage)
  if (created?.kind === 'created') return entries.reduce(foldEntry, beginState(created))
  throw new ExperimentError('no_experiment', `There is no experiment "${id}".`)
}

/** What the log stores beside the messages of a role's turn. */
export interface RoleData extends TurnData {
  /** What a tool changed: in the same entry as its result, so that neither is stored without the other. */
  readonly patches?: readonly Patch[]
  /** The hook that injected this message. */
  readonly hook?: string
}

/** The idempotency key of a role's turn. A second attempt is made if another process closed the first. */
export const turnKey = (step: number, attempt: number): string =>
  attempt === 1 ? `step/${step}` : `step/${step}/${attempt}`

/** The turns of a role in one step, oldest first. */
export async function stepTurns(thread: Thread, step: number): Promise<readonly StoredTurn[]> {
  const turns = await thread.turns()
  return turns.filter(({ key }) => key === turnKey(step, 1) || key?.startsWith(`${turnKey(step, 1)}/`))
}

/** The environment in the middle of a step: as it was at its beginning, with the changes of the roles' turns. */
export async function foldStep(
  { roleThread }: ExperimentThreads,
  state: ExperimentState,
): Promise<Environment> {
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
export async function cancelTurns({ roleThread }: ExperimentThreads, state: ExperimentState): Promise<void> {
  for (const role of state.created.roles) {
    const cancelled = roleThread(role)
      .resume()
      .then(left => left?.turn.cancel())
    await unlessRefused('turn_open', cancelled)
  }
}
