import type { EntryRange, Store, ThreadKey } from '../../stores/store.ts'
import type { TokenCounter } from '../../tokens/counter.ts'
import { checkBranch, mainBranch } from '../check-branch.ts'
import { fromEntry, type LoggedMessage } from './logged-message.ts'

/** Where messages are read from. */
export interface LogSource {
  readonly store: Store
  readonly key: ThreadKey
  readonly count: TokenCounter
}

/** The messages of a stretch of a thread, one by one, as they were logged. */
export async function* readLog(
  { store, key, count }: LogSource,
  range: EntryRange = {},
): AsyncGenerator<LoggedMessage> {
  const name = threadName(key)
  let isEmpty = true
  for await (const entry of store.entries(key, range)) {
    isEmpty = false
    yield fromEntry(entry, name, count)
  }
  if (isEmpty && key.branch !== mainBranch) checkBranch(key, await store.head(key))
}

export async function listLog(source: LogSource, range?: EntryRange): Promise<readonly LoggedMessage[]> {
  const logged: LoggedMessage[] = []
  for await (const one of readLog(source, range)) logged.push(one)
  return logged
}

/** The name of a thread in error messages. */
export const threadName = ({ conversation, actor, branch }: ThreadKey) =>
  [conversation, actor, branch].join('/')
