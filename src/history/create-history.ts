import type { FitOptions } from '../context/context.ts'
import type { Policy } from '../context/draft/policy.ts'
import type { ConversationInfo, Found, Store } from '../stores/store.ts'
import type { TokenCounter } from '../tokens/counter.ts'
import { estimate } from '../tokens/estimate.ts'
import { createThread, type Thread } from './thread.ts'
import { createThreadLog } from './thread-log.ts'
import { createThreadLogs } from './thread-logs.ts'

export interface HistoryOptions {
  readonly store: Store
  /** What contexts are fitted with unless a call says otherwise. */
  readonly window?: number
  readonly reserve?: number
  readonly policy?: Policy
  readonly count?: TokenCounter
  /** Whose conversations these are. Tenants never see each other. */
  readonly tenant?: string
  /** How long a turn may go without a sign of life before another writer may take over. Default 30 s. */
  readonly leaseMs?: number
  readonly now?: () => number
  readonly newId?: () => string
}

/** The object that people hold: conversations that survive, whoever asks for them. */
export interface History {
  thread(conversation: string, options?: { readonly actor?: string; readonly branch?: string }): Thread
  conversations(options?: {
    readonly after?: string
    readonly limit?: number
  }): Promise<readonly ConversationInfo[]>
  search(query: string, options?: { readonly limit?: number }): Promise<readonly Found[]>
  /** Deletes a conversation whole; late writes are refused. False when there was none. */
  delete(conversation: string): Promise<boolean>
  close(): Promise<void>
}

/**
 * Threads on a store: the log is the truth, and every view of it is made from it.
 *
 * @example
 * const history = createHistory({ store: memoryStore(), window: 4096 })
 * const begun = await history.thread('trip').begin({ role: 'user', content: 'Hello!' })
 */
export function createHistory({
  store,
  window = 4096,
  reserve = 0,
  policy,
  count = estimate(),
  tenant = 'default',
  leaseMs = 30_000,
  now = Date.now,
  newId = () => crypto.randomUUID(),
}: HistoryOptions): History {
  const fit: FitOptions = { window, reserve, count, ...(policy ? { policy } : {}) }
  const owner = newId()
  const logs = createThreadLogs(key => createThreadLog({ store, key, count }))
  return {
    thread: (conversation, { actor = 'assistant', branch = 'main' } = {}) =>
      createThread({
        store,
        key: { tenant, conversation, actor, branch },
        count,
        fit,
        now,
        newId,
        owner,
        leaseMs,
        logOf: logs,
      }),
    conversations: options => store.conversations(tenant, options),
    search: (query, options) => store.search(tenant, query, options),
    delete: conversation => store.deleteConversation(tenant, conversation),
    close: () => store.close(),
  }
}
