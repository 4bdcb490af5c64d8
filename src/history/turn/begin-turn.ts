import type { MessageLike } from '../../log/message.ts'
import type { BeginTurn, Begun, NewEntry } from '../../stores/store.ts'
import { ConflictError } from '../../stores/store-error.ts'
import { checkBranch } from '../check-branch.ts'
import { closingOf } from '../log/closing.ts'
import type { LogSource } from '../log/read-log.ts'
import { untilKnown } from './until-known.ts'

/** So many others may get in between before we give up. */
const mostConflicts = 10

/**
 * Begins a turn, and closes one that was left open. What closes it is made from what it has come to, so it is written
 * only if that is still all of it: its writer may be slow and not dead.
 */
export async function beginTurn(
  source: LogSource,
  turn: Omit<BeginTurn, 'closing' | 'expectedHead'>,
  toClosing: (messages: readonly MessageLike[]) => readonly NewEntry[],
): Promise<Begun> {
  const { store, key } = source
  for (let conflicts = 0; ; conflicts++) {
    const head = await store.head(key)
    checkBranch(key, head)
    const closing = head ? toClosing(await closingOf(source, head)) : []
    try {
      const begin = { ...turn, closing, expectedHead: head?.head ?? 0 }
      return await untilKnown(() => store.begin(key, begin))
    } catch (error) {
      if (!(error instanceof ConflictError) || conflicts >= mostConflicts) throw error
    }
  }
}
