import type { FitOptions } from '../context/context.ts'
import { checkOptions, counterOf } from '../context/draft/frame-options.ts'
import type { Policy } from '../context/draft/policy.ts'
import { InvalidOptionError } from '../log/error.ts'
import { checkThread } from '../stores/check-input.ts'
import type {
  ConversationInfo,
  DescribeConversation,
  Found,
  ListConversations,
  Store,
} from '../stores/store.ts'
import type { TokenCounter } from '../tokens/counter.ts'
import { promptActor } from './calls/prompts.ts'
import { mainBranch } from './check-branch.ts'
import { checkLog } from './log/check-log.ts'
import { normalizeText } from './log/logged-message.ts'
import { createThreadLog } from './log/thread-log.ts'
import { createThreadLogs } from './log/thread-logs.ts'
import { allConversations, type Retained, type RetainOptions, retain } from './retain.ts'
import { type SearchOptions, searchLog } from './search.ts'
import { createThread, type Thread } from './thread.ts'
import { exportConversation } from './transfer/export-conversation.ts'
import { type Imported, type ImportOptions, importLines } from './transfer/import-lines.ts'

/** What contexts are fitted with unless a call says otherwise. */
export interface HistorySettings {
  /** Default 4096; for a chat: what its model says. */
  readonly window?: number
  /** Default 0; for a chat: an eighth of the window. */
  readonly reserve?: number
  readonly policy?: Policy
}

export interface HistoryOptions extends HistorySettings {
  readonly store: Store
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
  /** Counts what is appended. */
  readonly count: TokenCounter
  /** As they were given. */
  readonly settings: HistorySettings
  /** `actor`: default `assistant`. `branch`: one that was forked; default `main`. */
  thread(
    conversation: string,
    options?: { readonly actor?: string | undefined; readonly branch?: string | undefined },
  ): Thread
  /** The last used first, unless `order` says otherwise; `after` is the last one of the page before. */
  conversations(options?: ListConversations): Promise<readonly ConversationInfo[]>
  /** Sets the title and the metadata that lists show; null removes one. Both may be set again at any time. */
  describe(conversation: string, description: DescribeConversation): Promise<void>
  /** Messages that have every word of the query, the newest first: what a user may see, unless `scope` says otherwise. */
  search(query: string, options?: SearchOptions): Promise<readonly Found[]>
  /** Deletes a conversation whole; late writes are refused. False when there was none. */
  delete(conversation: string): Promise<boolean>
  /** A conversation as lines of JSON, or all of them: lossless, line by line. Notes are in it. */
  export(conversation?: string): AsyncIterable<string>
  /** Reads such lines; the same ones again change nothing. */
  import(lines: AsyncIterable<string> | Iterable<string>, options?: ImportOptions): Promise<Imported>
  /** Deletes what is older than it should be kept. */
  retain(options: RetainOptions): Promise<Retained>
  /** What is wrong with the log, in words; nothing when all is well. `rebuild` also makes its caches anew. */
  check(options?: { readonly rebuild?: boolean }): Promise<readonly string[]>
  close(): Promise<void>
}

/**
 * Threads on a store: the log is the truth, and every view of it is made from it.
 *
 * @example
 * const history = createHistory({ store: memoryStore(), window: 4096 })
 * const begun = await history.thread('trip').begin({ role: 'user', content: 'Hello!' })
 */
export function createHistory(options: HistoryOptions): History {
  const {
    store,
    window = 4096,
    reserve = 0,
    policy,
    tenant = 'default',
    leaseMs = 30_000,
    now = Date.now,
    newId = () => crypto.randomUUID(),
  } = options ?? {}
  checkStore(store)
  checkOptions({ window, reserve, ...(options.count && { count: options.count }) })
  const count = counterOf(options)
  const fit: FitOptions = { window, reserve, count, ...(policy ? { policy } : {}) }
  const owner = newId()
  const logs = createThreadLogs(key => createThreadLog({ store, key, count }))
  const given = { window: options.window, reserve: options.reserve, policy }
  const settings = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  return {
    count,
    settings,
    thread(conversation, { actor = 'assistant', branch = mainBranch } = {}) {
      const key = { tenant, conversation, actor, branch }
      checkThread(key)
      return createThread({ store, key, count, fit, now, newId, owner, leaseMs, logOf: logs.of })
    },
    async conversations(options) {
      const found = await store.conversations(tenant, options)
      return found.map(({ threads, ...info }) => ({
        ...info,
        threads: threads.filter(({ actor }) => actor !== promptActor),
      }))
    },
    describe: (conversation, { title, ...rest }) =>
      store.describeConversation(tenant, conversation, {
        ...rest,
        ...(title !== undefined && { title: title && normalizeText(title) }),
      }),
    search: (query, options) => searchLog({ store, tenant, count }, query, options),
    async delete(conversation) {
      logs.drop(tenant, conversation)
      return store.deleteConversation(tenant, conversation)
    },
    async *export(only) {
      for await (const info of allConversations(store, tenant)) {
        if (only === undefined || info.conversation === only) yield* exportConversation(store, tenant, info)
      }
    },
    import: (lines, options) => importLines({ store, tenant, count }, lines, options),
    retain: options => retain(store, tenant, now(), options),
    async check(options) {
      const problems = [...(await store.check(options))]
      for await (const { conversation, threads } of allConversations(store, tenant)) {
        for (const { actor, branch } of threads) {
          const key = { tenant, conversation, actor, branch }
          problems.push(...(await checkLog({ store, key, count }, options)))
        }
      }
      return problems
    },
    close: () => store.close(),
  }
}

function checkStore(store: unknown): void {
  if (typeof (store as Partial<Store> | undefined)?.begin === 'function') return
  const given =
    typeof store === 'function'
      ? 'got a function (did you forget the parentheses?)'
      : `got ${store === null ? 'null' : typeof store}`
  throw new InvalidOptionError('store', `expected a store, such as memoryStore(), ${given}`)
}
