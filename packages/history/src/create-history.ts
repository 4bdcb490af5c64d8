import { checkOptions, counterOf, type FitOptions } from '@throughline/core/context'
import {
  InvalidOptionError,
  type OptionNames,
  refuseUnknown,
  showValue,
} from '@throughline/core/errors'
import { present } from '@throughline/core/values'
import {
  checkName,
  checkPerson,
  checkThread,
  type Store,
  type ThreadKey,
} from '@throughline/stores/store'
import { promptActor } from './calls/calls.ts'
import { createConversationLists } from './conversation-lists.ts'
import { createThread } from './create-thread.ts'
import { createDeletions } from './deletions.ts'
import type { History, HistoryOptions } from './history.ts'
import { checkLog } from './log/check-log.ts'
import { normalizeText } from './log/logged-message.ts'
import { mainBranch } from './log/read-log.ts'
import { createThreadLogs } from './log/thread-log.ts'
import { checkEmbed } from './log/vectors/embed-texts.ts'
import { checkVectors } from './log/vectors/stored-vectors.ts'
import { searchLog } from './search-log.ts'
import { exportConversation, exportConversations } from './transfer/export-conversation.ts'
import { importText } from './transfer/import-text.ts'

/**
 * Opens the conversations on a store.
 *
 * @example
 * const history = createHistory({ store: memoryStore(), window: 4096 })
 * const begun = await history.thread('trip').begin({ role: 'user', content: 'Hello!' })
 */
export function createHistory(options: HistoryOptions): History {
  refuseUnknown(options, historyNames)
  return openHistory(options)
}

const historyNames: OptionNames<HistoryOptions> = {
  store: 1,
  count: 1,
  embed: 1,
  tenant: 1,
  person: 1,
  remember: 1,
  leaseMs: 1,
  now: 1,
  newId: 1,
  window: 1,
  reserve: 1,
  policy: 1,
}

/** What the histories of all tenants on a store share. */
interface SharedParts {
  readonly owner: string
  readonly logs: ReturnType<typeof createThreadLogs>
}

function openHistory(options: HistoryOptions, shared?: SharedParts): History {
  const {
    store,
    window = 4096,
    reserve = 0,
    policy,
    tenant = 'default',
    person,
    ...rest
  } = options ?? {}
  const { remember = 'conversation', leaseMs = 30_000, now = Date.now } = rest
  const { newId = () => crypto.randomUUID() } = rest
  checkStore(store)
  checkOptions({ window, reserve, count: options.count })
  const count = counterOf(options)
  const fit: FitOptions = { window, reserve, count, policy }
  checkName('tenant', tenant)
  if (person !== undefined) checkPerson(person)
  if (remember !== 'conversation' && remember !== 'person')
    throw new InvalidOptionError(
      'remember',
      `expected "conversation" or "person", got ${showValue(remember)}`,
    )
  const owner = shared?.owner ?? newId()
  const embed = options.embed && checkEmbed(options.embed)
  const logs = shared?.logs ?? createThreadLogs({ store, count, embed })
  const lists = createConversationLists(store, tenant, person)
  const { forget, ...deletions } = createDeletions({
    store,
    tenant,
    person,
    now,
    lists,
    drop: logs.drop,
  })
  const settings = present({ window: options.window, reserve: options.reserve, policy })
  return {
    store,
    tenant,
    person,
    of: (tenant, who = {}) => {
      refuseUnknown(who, { person: 1 })
      return openHistory({ ...options, tenant, person: who.person }, { owner, logs })
    },
    count,
    settings,
    thread(conversation, place = {}) {
      // The key of a thread is a place too.
      refuseUnknown<Partial<ThreadKey>>(place, { tenant: 1, conversation: 1, actor: 1, branch: 1 })
      const { actor = 'assistant', branch = mainBranch } = place
      const key = { tenant, conversation, actor, branch }
      checkThread(key)
      const parts = { store, count, fit, now, newId, owner, leaseMs, person, remember, key }
      return createThread({ ...parts, logOf: logs.of, ...logs, forget: () => forget(conversation) })
    },
    async conversations(options) {
      const all = await store.conversations(tenant, { ...options, ...present({ person }) })
      return all.map(({ threads, ...info }) => ({
        ...info,
        threads: threads.filter(({ actor }) => actor !== promptActor),
      }))
    },
    describe: (conversation, { title, ...rest }) =>
      store.describeConversation(tenant, conversation, {
        ...rest,
        ...(title !== undefined && { title: title && normalizeText(title) }),
      }),
    async search(query, options) {
      refuseUnknown(options, { limit: 1, scope: 1, conversation: 1, characters: 1, lines: 1 })
      return searchLog({ store, tenant, count, person }, query, options)
    },
    ...deletions,
    async *export(conversation) {
      checkThread({ tenant, conversation, actor: 'assistant', branch: 'main' })
      const [info] = await store.conversations(tenant, { only: conversation, person })
      if (info) yield* exportConversation(store, tenant, info)
    },
    exportAll: () => exportConversations(store, tenant, lists.conversations()),
    async import(text, options) {
      refuseUnknown(options, { as: 1, person: 1, maxValueCharacters: 1 })
      const imported = await importText({ store, tenant, count, now, person }, text, options)
      // Not awaited.
      if (remember === 'person') void logs.prepare(tenant, imported.conversations)
      return imported
    },
    async check(options) {
      const problems = [...(await store.check(options))]
      for await (const key of lists.threads()) {
        for (const problem of await checkLog({ store, key, count }, options)) problems.push(problem)
        for (const problem of embed ? await checkVectors(store, key, embed.model) : [])
          problems.push(problem)
      }
      return problems
    },
    close: () => store.close(),
  }
}

function checkStore(store: unknown): void {
  if (typeof (store as Partial<Store> | undefined)?.begin === 'function') return
  const actual =
    typeof store === 'function'
      ? 'got a function (did you forget the parentheses?)'
      : `got ${store === null ? 'null' : typeof store}`
  throw new InvalidOptionError('store', `expected a store, such as memoryStore(), ${actual}`)
}
