import type { TokenCounter } from '@throughline/core/counters'
import { InvalidOptionError, showValue } from '@throughline/core/errors'
import { isCount } from '@throughline/core/values'
import { NoBranchError } from '@throughline/stores/errors'
import type { EntryRange, Head, Store, ThreadKey } from '@throughline/stores/store'
import { type LoggedMessage, readEntry } from './logged-message.ts'
import { createRests } from './rests.ts'

export interface LogSource {
  readonly store: Store
  readonly key: ThreadKey
  readonly count: TokenCounter
}

/** The messages of a stretch of a thread, one by one, as they were logged. Others get their turn meanwhile. */
export async function* readLog({ store, key, count }: LogSource, range: EntryRange = {}) {
  const name = threadName(key)
  const rest = createRests()
  let isEmpty = true
  for await (const entry of store.entries(key, range)) {
    isEmpty = false
    yield readEntry(entry, name, count)
    await rest(entry.payload.length)
  }
  if (isEmpty && key.branch !== mainBranch) checkBranch(key, await store.head(key))
}

export async function listLog(
  source: LogSource,
  range?: EntryRange,
): Promise<readonly LoggedMessage[]> {
  const logged: LoggedMessage[] = []
  for await (const one of readLog(source, range)) logged.push(one)
  return logged
}

/** The id of the entry at a place, if there is one. */
export async function idAt(store: Store, key: ThreadKey, at: number): Promise<string | undefined> {
  for await (const { id } of store.entries(key, { from: at, to: at })) return id
  return undefined
}

/** Tells threads apart, as no name has NUL. */
export const threadId = ({ tenant, conversation, actor, branch }: ThreadKey): string =>
  `${tenant}\0${conversation}\0${actor}\0${branch}`

export const placeId = (thread: ThreadKey, seq: number): string => `${threadId(thread)}\0${seq}`

/** The name of a thread in error messages. Two threads may have the same. */
export const threadName = ({ conversation, actor, branch }: ThreadKey) =>
  [conversation, actor, branch].join('/')

/** The branch that every thread begins with. */
export const mainBranch = 'main'

/** Refuses a branch that does not exist: a misspelt name would answer from an empty history. */
export function checkBranch({ conversation, branch }: ThreadKey, head: Head | undefined): void {
  if (!head && branch !== mainBranch) throw new NoBranchError(conversation, branch)
}

/** Refuses what cannot be the place of an entry. 0 is the beginning; a place beyond the head means the head. */
export function checkPlace(at: unknown): void {
  if (isCount(at)) return
  throw new InvalidOptionError(
    'at',
    `expected the place of an entry, such as 12, got ${showValue(at)}`,
  )
}
