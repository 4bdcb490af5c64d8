import type { FitOptions } from '../context/context.ts'
import type { Policy } from '../context/draft/draft.ts'
import { checkOptions, counterOf } from '../context/draft/frame-options.ts'
import { InvalidOptionError } from '../log/error.ts'
import { present } from '../log/present.ts'
import { checkName, checkThread } from '../stores/check-input.ts'
import type {
  ConversationInfo,
  DescribeConversation,
  Found,
  ListConversations,
  Store,
} from '../stores/store.ts'
import type { TokenCounter } from '../tokens/create-counter.ts'
import { promptActor } from './calls/calls.ts'
import { checkLog } from './log/check-log.ts'
import { normalizeText } from './log/logged-message.ts'
import { mainBranch } from './log/read-log.ts'
import { createThreadLogs } from './log/thread-logs.ts'
import { checkVectors } from './log/vectors/check-vectors.ts'
import { checkEmbed, type EmbedOptions } from './log/vectors/embed-options.ts'
import { createThread, type Thread } from './thread.ts'
import { exportConversation } from './transfer/export-conversation.ts'
import { type Imported, type ImportOptions, importLines } from './transfer/import-lines.ts'
import { type SearchOptions, searchLog } from './views.ts'

/** Defaults for the contexts of all threads. */
export interface HistorySettings {
  /** The tokens that the model can take, prompt and reply together. Default 4096; for a chat: what its model says. */
  readonly window?: number
  /** The part of the window that is kept free for the reply. Default 0; for a chat: an eighth of the window. */
  readonly reserve?: number
  /** Decides what is left out when not everything fits. Default `balanced()`. */
  readonly policy?: Policy
}

export interface HistoryOptions extends HistorySettings {
  /** Where the log is stored. */
  readonly store: Store
  /** The counter of messages that are appended. Default `estimate()`. */
  readonly count?: TokenCounter
  /** Lets recall also find what means the same in other words, by vectors that are stored beside the log. Default: words alone. */
  readonly embed?: EmbedOptions
  /** Whose conversations these are. Tenants never see each other. Default `'default'`. */
  readonly tenant?: string
  /** How long a writer keeps a turn without renewing its lease; then another may take over. Default 30 s. */
  readonly leaseMs?: number
  /** The clock, in milliseconds. Default `Date.now`. */
  readonly now?: () => number
  /** The ids of entries, calls and branches. Default `crypto.randomUUID`. */
  readonly newId?: () => string
}

/** How long conversations and calls are kept; without a time, for ever. */
export interface DeleteAllOptions {
  /** Only conversations in which this actor has a thread. Default: all. */
  readonly actor?: string
}

export interface RetainOptions {
  /** Conversations in which nothing was written for so many milliseconds are deleted whole. Default: never. */
  readonly conversationsMs?: number
  /** Calls older than this are deleted: their contexts can no longer be shown. The log and its system prompts stay. Default: never. */
  readonly callsMs?: number
}

export interface ThreadOptions {
  /** Whose thread of the conversation. Default `assistant`. */
  readonly actor?: string | undefined
  /** A branch that `fork` made. Default `main`. */
  readonly branch?: string | undefined
}

export interface CheckOptions {
  /** Also makes indexes and caches anew, except vectors. Default false. */
  readonly rebuild?: boolean
}

export interface Retained {
  readonly deleted: readonly string[]
  readonly calls: number
}

/** The conversations of a tenant on a store. */
export interface History {
  /** Where the log is stored. */
  readonly store: Store
  /** Whose conversations these are. */
  readonly tenant: string
  /** The conversations of another tenant on the same store: one history serves many users, who never see each other. */
  of(tenant: string): History
  /** The counter that counts messages when they are appended. */
  readonly count: TokenCounter
  /** The options that contexts are fitted with, as they were given. */
  readonly settings: HistorySettings
  /** One actor's line of a conversation. Nothing is read or written until it is used. */
  thread(conversation: string, options?: ThreadOptions): Thread
  /** Lists conversations, last used first unless `order` says otherwise. `after`: the last one of the previous page. */
  conversations(options?: ListConversations): Promise<readonly ConversationInfo[]>
  /** Sets the title and the metadata that `conversations` lists; null removes one. */
  describe(conversation: string, description: DescribeConversation): Promise<void>
  /** Finds messages with every word of the query, newest first, among those a user may see; `scope` widens that. */
  search(query: string, options?: SearchOptions): Promise<readonly Found[]>
  /** Deletes a whole conversation; late writes to it are refused. False when there was none. */
  delete(conversation: string): Promise<boolean>
  /** Deletes all conversations of the tenant, or those in which one actor has a thread. Returns their names. */
  deleteAll(options?: DeleteAllOptions): Promise<readonly string[]>
  /** Exports a conversation as lines of JSON: lossless, so with notes. No lines where there is none of this id. */
  export(conversation: string): AsyncIterable<string>
  /** Exports all conversations. Not `export` without an id: an id that is missing must not export what others said. */
  exportAll(): AsyncIterable<string>
  /** Imports the lines of an export. Importing the same lines again changes nothing. */
  import(lines: AsyncIterable<string> | Iterable<string>, options?: ImportOptions): Promise<Imported>
  /** Deletes conversations and records of calls that are older than the given times. */
  retain(options: RetainOptions): Promise<Retained>
  /** Checks the log and lists its faults in words; an empty list is a sound log. */
  check(options?: CheckOptions): Promise<readonly string[]>
  close(): Promise<void>
}

/**
 * Opens the conversations on a store.
 *
 * @example
 * const history = createHistory({ store: memoryStore(), window: 4096 })
 * const begun = await history.thread('trip').begin({ role: 'user', content: 'Hello!' })
 */
export function createHistory(options: HistoryOptions): History {
  return openHistory(options)
}

/** What the histories of all tenants on a store share. */
interface Shared {
  readonly owner: string
  readonly logs: ReturnType<typeof createThreadLogs>
}

function openHistory(options: HistoryOptions, shared?: Shared): History {
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
  checkName('tenant', tenant)
  const owner = shared?.owner ?? newId()
  const embed = options.embed && checkEmbed(options.embed)
  const logs = shared?.logs ?? createThreadLogs({ store, count, embed })
  const everyConversation = () => eachConversation(page => store.conversations(tenant, page))
  const settings = present({ window: options.window, reserve: options.reserve, policy })
  return {
    store,
    tenant,
    of: tenant => openHistory({ ...options, tenant }, { owner, logs }),
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
    async deleteAll({ actor } = {}) {
      const deleted: string[] = []
      for await (const { conversation, threads } of everyConversation()) {
        if (actor !== undefined && !threads.some(thread => thread.actor === actor)) continue
        logs.drop(tenant, conversation)
        if (await store.deleteConversation(tenant, conversation)) deleted.push(conversation)
      }
      return deleted
    },
    async *export(conversation) {
      checkThread({ tenant, conversation, actor: 'assistant', branch: 'main' })
      const [info] = await store.conversations(tenant, { only: conversation })
      if (info) yield* exportConversation(store, tenant, info)
    },
    async *exportAll() {
      for await (const info of everyConversation()) yield* exportConversation(store, tenant, info)
    },
    import: (lines, options) => importLines({ store, tenant, count }, lines, options),
    retain: options => retain(store, tenant, now(), options),
    async check(options) {
      const problems = [...(await store.check(options))]
      for await (const { conversation, threads } of everyConversation()) {
        for (const { actor, branch } of threads) {
          const key = { tenant, conversation, actor, branch }
          for (const problem of await checkLog({ store, key, count }, options)) problems.push(problem)
          for (const problem of embed ? await checkVectors(store, key, embed.model) : [])
            problems.push(problem)
        }
      }
      return problems
    },
    close: () => store.close(),
  }
}

/** Deletes old conversations and calls. A conversation that is in use at that moment stays. */
async function retain(
  store: Store,
  tenant: string,
  now: number,
  { conversationsMs, callsMs }: RetainOptions,
): Promise<Retained> {
  const deleted: string[] = []
  if (conversationsMs !== undefined) {
    const unusedSince = now - conversationsMs
    for await (const { conversation, updatedAt } of eachConversation(page =>
      store.conversations(tenant, page),
    )) {
      if (updatedAt >= unusedSince) continue
      if (await store.deleteConversation(tenant, conversation, { unusedSince })) deleted.push(conversation)
    }
  }
  const calls = callsMs === undefined ? 0 : await store.deleteCalls(tenant, now - callsMs)
  return { deleted, calls }
}

/** Pages through conversations by name: an order that writes do not change meanwhile. */
export async function* eachConversation(list: History['conversations']) {
  const limit = 100
  for (let after: ConversationInfo | undefined; ; ) {
    const page = await list({ order: 'name', limit, after })
    yield* page
    if (page.length < limit) return
    after = page.at(-1)
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
