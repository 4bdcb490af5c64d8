import type { History, Thread, Turn } from '../../history/index.ts'
import type { MessageLike } from '../../log/message.ts'
import { unlessRefused } from '../experiment-error.ts'
import { controlActor, experimentActor } from '../plan/role.ts'

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
