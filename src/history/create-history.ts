import type { FitOptions } from '../context/context.ts'
import type { Policy } from '../context/draft/draft.ts'
import { checkOptions, counterOf } from '../context/draft/frame-options.ts'
import { InvalidOptionError, showValue } from '../log/error.ts'
import { present } from '../log/present.ts'
import { checkName, checkPerson, checkThread } from '../stores/check-input.ts'
import type {
  ConversationInfo,
  DescribeConversation,
  Found,
  ListConversations,
  Store,
} from '../stores/store.ts'
import type { TokenCounter } from '../tokens/create-counter.ts'
import { promptActor } from './calls/calls.ts'
import { createThread } from './create-thread.ts'
import { checkLog } from './log/check-log.ts'
import { normalizeText } from './log/logged-message.ts'
import { mainBranch } from './log/read-log.ts'
import { createThreadLogs } from './log/thread-logs.ts'
import { checkVectors } from './log/vectors/check-vectors.ts'
import { checkEmbed, type EmbedOptions } from './log/vectors/embed-options.ts'
import { type SearchOptions, searchLog } from './search-log.ts'
import type { Thread } from './thread.ts'
import { exportConversation } from './transfer/export-conversation.ts'
import { type Imported, type ImportedText, type ImportOptions, importText } from './transfer/import-text.ts'

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
  /**
   * Who speaks, among the people of the tenant. A conversation belongs to the first person who writes to it; lists, search,
   * exports and deletions keep to this person's. Default: nobody in particular, who sees those of all.
   */
  readonly person?: string
  /**
   * What a message may bring back: of its own conversation, or also of the person's others, word for word, with day and name.
   * Only where a `person` speaks. Default `'conversation'`.
   */
  readonly remember?: 'conversation' | 'person'
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
  /** Only conversations of this person. Default: all. */
  readonly person?: string
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
  /** Who speaks, if that was said. */
  readonly person?: string
  /** The conversations of another tenant or person on the same store: one history serves many, who never see each other. */
  of(tenant: string, options?: Pick<HistoryOptions, 'person'>): History
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
  /** Finds messages with words of the query, the best first, among those a user may see; `scope` widens that. */
  search(query: string, options?: SearchOptions): Promise<readonly Found[]>
  /** Deletes a whole conversation; late writes to it are refused. False when there was none, or it is another person's. */
  delete(conversation: string): Promise<boolean>
  /** Deletes all conversations of the tenant, or those of a person, or those in which one actor has a thread. Returns their names. */
  deleteAll(options?: DeleteAllOptions): Promise<readonly string[]>
  /** Exports a conversation as lines of JSON: lossless, so with notes. No lines where there is none of this id. */
  export(conversation: string): AsyncIterable<string>
  /** Exports all conversations. Not `export` without an id: an id that is missing must not export what others said. */
  exportAll(): AsyncIterable<string>
  /**
   * Imports an export of ours, or the chats of another program (ChatGPT, Claude, Open WebUI …), whichever it is: a text, or its
   * lines or parts. All of it or nothing; the same again changes nothing. It is read twice: a function opens it each time, and
   * what can be read only once, such as a stream, is kept in memory.
   */
  import(text: ImportedText, options?: ImportOptions): Promise<Imported>
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
    person,
    remember = 'conversation',
    leaseMs = 30_000,
    now = Date.now,
    newId = () => crypto.randomUUID(),
  } = options ?? {}
  checkStore(store)
  checkOptions({ window, reserve, ...(options.count && { count: options.count }) })
  const count = counterOf(options)
  const fit: FitOptions = { window, reserve, count, ...(policy ? { policy } : {}) }
  checkName('tenant', tenant)
  if (person !== undefined) checkPerson(person)
  if (remember !== 'conversation' && remember !== 'person')
    throw new InvalidOptionError(
      'remember',
      `expected "conversation" or "person", got ${showValue(remember)}`,
    )
  const own = present({ person })
  const owner = shared?.owner ?? newId()
  const embed = options.embed && checkEmbed(options.embed)
  const logs = shared?.logs ?? createThreadLogs({ store, count, embed })
  const everyConversation = (of: { readonly person?: string } = own) =>
    eachConversation(page => store.conversations(tenant, { ...page, ...of }))
  /** Nothing of a conversation stays in memory either. */
  async function remove(conversation: string, given?: { readonly unusedSince: number }): Promise<boolean> {
    const isDeleted = await store.deleteConversation(tenant, conversation, given)
    if (isDeleted) logs.drop(tenant, conversation)
    return isDeleted
  }
  const settings = present({ window: options.window, reserve: options.reserve, policy })
  return {
    store,
    tenant,
    ...own,
    of: (tenant, { person } = {}) => {
      const { person: _, ...rest } = options
      return openHistory({ ...rest, tenant, ...present({ person }) }, { owner, logs })
    },
    count,
    settings,
    thread(conversation, { actor = 'assistant', branch = mainBranch } = {}) {
      const key = { tenant, conversation, actor, branch }
      checkThread(key)
      const given = { logOf: logs.of, passages: logs.passages }
      const shared = { store, count, fit, now, newId, owner, leaseMs, remember, ...given }
      return createThread({ ...shared, key, ...own })
    },
    async conversations(options) {
      const found = await store.conversations(tenant, { ...options, ...own })
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
    search: (query, options) => searchLog({ store, tenant, count, ...own }, query, options),
    async delete(conversation) {
      const [found] =
        person === undefined ? [] : await store.conversations(tenant, { only: conversation, person })
      return (person === undefined || found !== undefined) && remove(conversation)
    },
    async deleteAll({ actor, person } = {}) {
      const deleted: string[] = []
      for await (const { conversation, threads, person: owner } of everyConversation({
        ...present({ person }),
        ...own,
      })) {
        if (actor !== undefined && !threads.some(thread => thread.actor === actor)) continue
        if (person !== undefined && owner !== person) continue
        if (await remove(conversation)) deleted.push(conversation)
      }
      return deleted
    },
    async *export(conversation) {
      checkThread({ tenant, conversation, actor: 'assistant', branch: 'main' })
      const [info] = await store.conversations(tenant, { only: conversation, ...own })
      if (info) yield* exportConversation(store, tenant, info)
    },
    async *exportAll() {
      for await (const info of everyConversation()) yield* exportConversation(store, tenant, info)
    },
    async import(text, options) {
      const imported = await importText({ store, tenant, count, now, ...own }, text, options)
      // Nobody waits for it.
      if (remember === 'person') void logs.prepare(tenant, imported.conversations)
      return imported
    },
    async retain({ conversationsMs, callsMs }) {
      if (callsMs !== undefined && person !== undefined)
        throw new InvalidOptionError(
          'callsMs',
          'records of calls are kept for the tenant: ask a history without a person',
        )
      const deleted: string[] = []
      if (conversationsMs !== undefined) {
        const unusedSince = now() - conversationsMs
        for await (const { conversation, updatedAt } of everyConversation()) {
          if (updatedAt >= unusedSince) continue
          // One that is in use at this moment stays.
          if (await remove(conversation, { unusedSince })) deleted.push(conversation)
        }
      }
      const calls = callsMs === undefined ? 0 : await store.deleteCalls(tenant, now() - callsMs)
      return { deleted, calls }
    },
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
