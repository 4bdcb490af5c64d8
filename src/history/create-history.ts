import { checkOptions, counterOf } from '../context/draft/frame-options.ts'
import type { FitOptions } from '../context/fit.ts'
import { InvalidOptionError, type OptionNames, refuseUnknown, showValue } from '../log/error.ts'
import { present } from '../log/values.ts'
import { checkName, checkPerson, checkThread } from '../stores/check-input.ts'
import { lastUseOf } from '../stores/rules/last-use.ts'
import type { ConversationInfo, ListConversations, Store, ThreadKey } from '../stores/store.ts'
import { CorruptEntryError } from '../stores/store-error.ts'
import { promptActor } from './calls/calls.ts'
import { createThread } from './create-thread.ts'
import type { DeleteOptions, History, HistoryOptions } from './history.ts'
import { checkLog } from './log/check-log.ts'
import { normalizeText } from './log/logged-message.ts'
import { mainBranch } from './log/read-log.ts'
import { createThreadLogs } from './log/thread-log.ts'
import { checkEmbed } from './log/vectors/embed-texts.ts'
import { checkVectors } from './log/vectors/stored-vectors.ts'
import { searchLog } from './search-log.ts'
import { isSideName, sidePrefix } from './side-name.ts'
import { ExportError, exportConversation } from './transfer/export-conversation.ts'
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
  const { store, window = 4096, reserve = 0, policy, tenant = 'default', person, ...rest } = options ?? {}
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
  const everyConversation = (of = person) =>
    eachConversation(page => store.conversations(tenant, { ...page, person: of }))
  /** Nothing of a conversation stays in memory either. */
  async function remove(conversation: string, { dryRun, ...conditions }: DeleteOptions): Promise<boolean> {
    const [info] = await store.conversations(tenant, { only: conversation })
    if (dryRun || !info) return info !== undefined
    if (conditions.unusedSince === undefined && !isSideName(conversation)) await removeSides(info)
    try {
      return await store.deleteConversation(tenant, conversation, conditions)
    } finally {
      // Also where it failed: it may be gone all the same. What is still there is read again.
      logs.drop(tenant, conversation)
    }
  }
  /** Deletes its person's side requests, which may repeat what was said, and are of no use once answered. */
  async function removeSides({ person }: ConversationInfo): Promise<void> {
    const limit = 100
    for (let after: ListConversations['after'] = { conversation: sidePrefix, updatedAt: 0 }; ; ) {
      const page = await store.conversations(tenant, { order: 'name', limit, after, person })
      const sides = page.filter(side => isSideName(side.conversation))
      for (const { conversation, ...side } of sides) {
        if (side.person !== person) continue
        // Without a tombstone, unless one is being answered: then late writes must be refused.
        const isDone = await remove(conversation, { unusedSince: Number.MAX_SAFE_INTEGER })
        if (!isDone) await remove(conversation, {})
      }
      if (sides.length < limit) return
      after = sides.at(-1)!
    }
  }
  async function countCalls(before: number): Promise<number> {
    let count = 0
    for await (const key of everyThread())
      count += (await store.calls(key)).filter(({ time }) => time < before).length
    return count
  }
  async function* everyThread(): AsyncGenerator<ThreadKey> {
    for await (const { conversation, threads } of everyConversation())
      for (const { actor, branch } of threads) yield { tenant, conversation, actor, branch }
  }
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
      const forget = async () => {
        const [info] = await store.conversations(tenant, { only: conversation })
        if (info) await removeSides(info)
        logs.drop(tenant, conversation)
      }
      const parts = { store, count, fit, now, newId, owner, leaseMs, person, remember, key, forget }
      return createThread({ ...parts, logOf: logs.of, ...logs })
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
    async delete(conversation, options = {}) {
      refuseUnknown(options, { unusedSince: 1, dryRun: 1 })
      const isOurs =
        person === undefined || (await store.conversations(tenant, { only: conversation, person })).length > 0
      return isOurs && remove(conversation, options)
    },
    async deleteAll(which = {}) {
      refuseUnknown(which, { actor: 1, person: 1, dryRun: 1 })
      const { actor, person: whose, ...options } = which
      const deleted: string[] = []
      for await (const { conversation, threads, person: owner } of everyConversation(person ?? whose)) {
        if (actor !== undefined && !threads.some(thread => thread.actor === actor)) continue
        if (whose !== undefined && owner !== whose) continue
        if (await remove(conversation, options)) deleted.push(conversation)
      }
      return deleted
    },
    async *export(conversation) {
      checkThread({ tenant, conversation, actor: 'assistant', branch: 'main' })
      const [info] = await store.conversations(tenant, { only: conversation, person })
      if (info) yield* exportConversation(store, tenant, info)
    },
    async *exportAll() {
      const unread: string[] = []
      for await (const info of everyConversation()) {
        const lines: string[] = []
        try {
          // Whole before the first line is given: half of a conversation would spoil the export.
          for await (const line of exportConversation(store, tenant, info)) lines.push(line)
        } catch (error) {
          if (!(error instanceof CorruptEntryError)) throw error
          unread.push(info.conversation)
          continue
        }
        yield* lines
      }
      if (unread.length > 0) throw new ExportError(unread)
    },
    async import(text, options) {
      refuseUnknown(options, { as: 1, person: 1, maxValueCharacters: 1 })
      const imported = await importText({ store, tenant, count, now, person }, text, options)
      // Not awaited.
      if (remember === 'person') void logs.prepare(tenant, imported.conversations)
      return imported
    },
    async retain(times) {
      refuseUnknown(times, { conversationsMs: 1, callsMs: 1, dryRun: 1 })
      const { conversationsMs, callsMs, dryRun = false } = times
      if (callsMs !== undefined && person !== undefined)
        throw new InvalidOptionError(
          'callsMs',
          'records of calls are kept for the tenant: ask a history without a person',
        )
      const deleted: string[] = []
      if (conversationsMs !== undefined) {
        const unusedSince = now() - conversationsMs
        for await (const info of everyConversation()) {
          const { conversation } = info
          if (lastUseOf(info) >= unusedSince) continue
          // One that is in use at this moment stays.
          if (await remove(conversation, { unusedSince, dryRun })) deleted.push(conversation)
        }
      }
      if (callsMs === undefined) return { deleted, calls: 0 }
      const before = now() - callsMs
      const calls = dryRun ? await countCalls(before) : await store.deleteCalls(tenant, before)
      return { deleted, calls }
    },
    async check(options) {
      const problems = [...(await store.check(options))]
      for await (const key of everyThread()) {
        for (const problem of await checkLog({ store, key, count }, options)) problems.push(problem)
        for (const problem of embed ? await checkVectors(store, key, embed.model) : []) problems.push(problem)
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
  const actual =
    typeof store === 'function'
      ? 'got a function (did you forget the parentheses?)'
      : `got ${store === null ? 'null' : typeof store}`
  throw new InvalidOptionError('store', `expected a store, such as memoryStore(), ${actual}`)
}
