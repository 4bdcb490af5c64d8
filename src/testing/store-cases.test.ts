import { describe, expect, it } from 'vitest'
import { memoryStore } from '../stores/memory/memory-store.ts'
import type { Lease, NewEntry, Store, ThreadKey } from '../stores/store.ts'
import { storeCases } from './store-cases.ts'
import { restoreFaults } from './store-cases-faults.fixture.ts'
import { read } from './store-cases-help.ts'

/** Stores with a fault each: a suite that passes one of them proves nothing. */
const faults: Record<string, (store: Store) => Partial<Store>> = {
  'loses the last entry of a batch': store => ({
    end: (thread, end) => store.end(thread, { ...end, entries: end.entries.slice(0, -1) }),
  }),
  'takes any head for the expected one': store => ({
    append: async (thread, append) =>
      store.append(thread, { ...append, expectedHead: await headOf(store, thread) }),
  }),
  'appends an id again': store => ({
    append: (thread, append) => store.append(thread, { ...append, entries: append.entries.map(fresh) }),
  }),
  'lets a fenced writer append': store => ({
    append: async (thread, append) =>
      store.append(thread, { ...append, lease: await leaseOf(store, thread, append.lease) }),
  }),
  'lets a fenced writer end': store => ({
    end: async (thread, end) => store.end(thread, { ...end, lease: await leaseOf(store, thread, end.lease) }),
  }),
  'lets a fenced writer renew': store => ({
    renew: async (thread, lease, ms) => store.renew(thread, await leaseOf(store, thread, lease), ms),
  }),
  'lets two turns be open': store => ({
    begin: (thread, begin) => store.begin(thread, { ...begin, leaseMs: 0 }),
  }),
  'never gives up a lease': store => ({
    head: async thread => {
      const head = await store.head(thread)
      return head?.open ? { ...head, open: { ...head.open, isExpired: true } } : head
    },
    begin: (thread, begin) => store.begin(thread, { ...begin, leaseMs: 1e9 }),
  }),
  'forgets to close': store => ({ begin: (thread, { closing: _, ...begin }) => store.begin(thread, begin) }),
  'forgets keys': store => ({
    begin: (thread, { key: _, body: __, ...begin }) => store.begin(thread, begin),
  }),
  'takes any body for a key': store => ({
    begin: (thread, begin) =>
      store.begin(thread, begin.key === undefined ? begin : { ...begin, body: 'hash' }),
  }),
  'has one tenant': store => onThreads(store, thread => ({ ...thread, tenant: 'all' })),
  'has one actor': store => onThreads(store, thread => ({ ...thread, actor: 'all' })),
  'has names without case': store =>
    onThreads(store, thread => ({ ...thread, actor: thread.actor.toLowerCase() })),
  'cuts names at a dot': store =>
    onThreads(store, thread => ({ ...thread, actor: `${thread.actor.split('.')[0]}` })),
  'cuts long names': store =>
    onThreads(store, thread => ({ ...thread, branch: thread.branch.slice(0, 100) })),
  'takes NUL out of payloads': store => ({
    seed: (thread, seed) => store.seed(thread, { ...seed, entries: seed.entries.map(withoutNul) }),
  }),
  'reads forwards only': store => ({
    entries: (thread, range) => store.entries(thread, { ...range, reverse: false }),
  }),
  'reads without a limit': store => ({
    entries: (thread, { limit: _, ...range } = {}) => store.entries(thread, range),
  }),
  'reads from the beginning': store => ({
    entries: (thread, { from: _, ...range } = {}) => store.entries(thread, range),
  }),
  'forks a little earlier': store => ({
    fork: (thread, { at, branch }) => store.fork(thread, { at: at > 1 ? at - 2 : at, branch }),
  }),
  'lists the oldest call first': store => ({
    calls: async (...args) => [...(await store.calls(...args))].reverse(),
  }),
  'keeps the first of a cache': store => ({
    saveCache: async (thread, key, at, bytes) => {
      if (!(await store.loadCache(thread, key))) await store.saveCache(thread, key, at, bytes)
    },
  }),
  'sorts names by UTF-16': store => ({
    conversations: async (...args) =>
      [...(await store.conversations(...args))].sort((a, b) => (a.conversation < b.conversation ? -1 : 1)),
  }),
  'finds one word of many': store => ({
    search: (tenant, query, options) => store.search(tenant, query.split(' ')[0]!, options),
  }),
  'only hides what is deleted': () => ({ deleteConversation: async () => true }),
  ...restoreFaults,
  'keeps calls for ever': () => ({ deleteCalls: async () => 3 }),
  'deletes calls that are not that old': store => ({
    deleteCalls: (tenant, before) => store.deleteCalls(tenant, before + 1),
  }),
  'does not say how many calls it deleted': store => ({
    deleteCalls: async (tenant, before) => Math.min(0, await store.deleteCalls(tenant, before)),
  }),
  'deletes what is in use': store => ({
    deleteConversation: (tenant, conversation) => store.deleteConversation(tenant, conversation),
  }),
  'deletes what was written that very moment': store => ({
    deleteConversation: (tenant, conversation, { unusedSince } = {}) =>
      store.deleteConversation(
        tenant,
        conversation,
        unusedSince === undefined ? {} : { unusedSince: unusedSince + 1 },
      ),
  }),
  'deletes under a writer': store => ({
    deleteConversation: async (tenant, conversation, { unusedSince } = {}) => {
      const all = await store.conversations(tenant)
      const updatedAt = all.find(info => info.conversation === conversation)?.updatedAt ?? 0
      if (unusedSince !== undefined && !(updatedAt < unusedSince)) return false
      return store.deleteConversation(tenant, conversation)
    },
  }),
  'never deletes what was used once': store => ({
    deleteConversation: async (tenant, conversation, { unusedSince } = {}) =>
      unusedSince === undefined && store.deleteConversation(tenant, conversation),
  }),
  'says that its log is broken': () => ({ check: async () => ['broken'] }),
}

describe('storeCases', () => {
  for (const [name, fault] of Object.entries(faults))
    it(`finds a store that ${name}`, async () => {
      const create = async () => {
        const store = memoryStore()
        return { ...store, ...fault(store) }
      }
      expect(await firstFailure(create)).toBeDefined()
    })
})

/** The first case that fails, if one does. */
async function firstFailure(create: () => Promise<Store>): Promise<string | undefined> {
  for (const { name, run } of storeCases) {
    const error = await run(create).then(
      () => undefined,
      (error: unknown) => `${name}: ${error}`,
    )
    if (error) return error
  }
  return undefined
}

const headOf = async (store: Store, thread: ThreadKey) => (await store.head(thread))?.head ?? 0

const leaseOf = async (store: Store, thread: ThreadKey, lease: Lease) =>
  (await store.head(thread))?.open?.lease ?? lease

const fresh = (entry: NewEntry): NewEntry => ({ ...entry, id: crypto.randomUUID() })

const withoutNul = (entry: NewEntry): NewEntry => ({ ...entry, payload: entry.payload.replaceAll('\0', '') })

function onThreads(store: Store, change: (thread: ThreadKey) => ThreadKey): Partial<Store> {
  return {
    begin: (thread, begin) => store.begin(change(thread), begin),
    end: (thread, end) => store.end(change(thread), end),
    head: thread => store.head(change(thread)),
    async *entries(thread, range) {
      yield* await read(store, change(thread), range)
    },
  }
}
