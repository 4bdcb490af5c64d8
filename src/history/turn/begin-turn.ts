import type { MessageLike } from '../../log/message.ts'
import type { BeginTurn, Begun, NewEntry } from '../../stores/store.ts'
import { ConflictError } from '../../stores/store-error.ts'
import { checkBranch } from '../check-branch.ts'
import { closingOf } from '../log/closing.ts'
import type { LogSource } from '../log/read-log.ts'
import { untilKnown } from './until-known.ts'

/** How often other writers may get ahead before `beginTurn` gives up. */
const mostConflicts = 10

/**
 * Begins a turn, and closes one that was left open. Tries again when the thread has grown since the closing messages
 * were made: the writer of the open turn may be slow and not dead.
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
