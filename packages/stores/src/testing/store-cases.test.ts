import { beforeAll, describe, expect, it } from 'vitest'
import { memoryStore } from '../memory/memory-store.ts'
import type { Lease, NewEntry, Store, ThreadKey } from '../store.ts'
import { LeaseError } from '../store-error.ts'
import type { StoreCase } from './store-case.ts'
import { storeCases } from './store-cases.ts'
import { restoreFaults } from './store-cases-faults.fixture.ts'
import { pairCases } from './store-cases-fork.ts'
import { read } from './store-cases-help.ts'

/** Controls, each with one fault: the suite must fail every one of them. */
const faults: Record<string, (store: Store) => Partial<Store>> = {
  'loses the last entry of a batch': store => ({
    end: (thread, end) => store.end(thread, { ...end, entries: end.entries.slice(0, -1) }),
  }),
  'says that it erases, and does not': () => ({ erase: async () => true }),
  'keeps the calls of what it erases': store => {
    let hasErased = false
    return {
      erase: async (...what) => {
        const calls = await store.calls(what[0])
        const isErased = await store.erase(...what)
        if (!hasErased) for (const call of calls.toReversed()) await store.saveCall(what[0], call)
        hasErased = true
        return isErased
      },
    }
  },
  'takes any head for the expected one': store => ({
    append: async (thread, append) =>
      store.append(thread, { ...append, expectedHead: await headOf(store, thread) }),
  }),
  'appends an id again': store => ({
    append: (thread, append) =>
      store.append(thread, { ...append, entries: append.entries.map(fresh) }),
  }),
  'lets a fenced writer append': store => ({
    append: async (thread, append) =>
      store.append(thread, { ...append, lease: await leaseOf(store, thread, append.lease) }),
  }),
  'lets a fenced writer end': store => ({
    end: async (thread, end) =>
      store.end(thread, { ...end, lease: await leaseOf(store, thread, end.lease) }),
  }),
  'lets a fenced writer renew': store => ({
    renew: async (thread, lease, ms) =>
      store.renew(thread, await leaseOf(store, thread, lease), ms),
  }),
  'lets two turns be open': store => ({
    begin: (thread, begin) => store.begin(thread, { ...begin, leaseMs: 0 }),
  }),
  'never gives up a lease': store => ({
    head: async thread => {
      const head = await store.head(thread)
      return head?.open ? { ...head, open: { ...head.open, expiresInMs: 0 } } : head
    },
    begin: (thread, begin) => store.begin(thread, { ...begin, leaseMs: 1e9 }),
  }),
  'does not say when to retry': store => ({
    resume: (thread, turn) =>
      store.resume(thread, turn).catch(error => {
        throw new LeaseError('turn_open', error.message)
      }),
  }),
  'takes no end again once the next turn has begun': store => ({
    end: async (thread, end) => {
      const held = (await store.head(thread))?.open?.lease
      if (held && held.epoch > end.lease.epoch) throw new LeaseError('lease_lost', 'late')
      return store.end(thread, end)
    },
  }),
  'forks inside of an open turn': store => ({
    fork: async (thread, fork) => {
      const open = (await store.head(thread))?.open
      const [after] = await read(store, thread, { from: fork.at + 1, limit: 1 })
      if (!open || fork.at < open.first || after?.role !== 'user') await store.fork(thread, fork)
    },
  }),
  'takes a restored turn for held where a lease was given before': store => {
    const written = new Set<string>()
    return {
      begin: (thread, begin) => {
        written.add(JSON.stringify(thread))
        return store.begin(thread, begin)
      },
      head: async thread => {
        const head = await store.head(thread)
        if (head?.open?.lease.owner !== '' || !written.has(JSON.stringify(thread))) return head
        return { ...head, open: { ...head.open, expiresInMs: 9 } }
      },
    }
  },
  'forgets the marks of what it appends': store => ({
    append: (thread, { marks: _, ...append }) => store.append(thread, append),
  }),
  'forgets the marks of the last entries': store => ({
    end: (thread, { marks: _, ...end }) => store.end(thread, end),
  }),
  'marks what it refuses': store => ({
    end: async (thread, end) => {
      const marks = (end.marks ?? []).map(({ mark, at }) => ({ mark, at: at + end.expectedHead }))
      await store.saveMarks(thread, marks)
      return store.end(thread, end)
    },
  }),
  'forgets to close': store => ({
    begin: (thread, { closing: _, ...begin }) => store.begin(thread, begin),
  }),
  'forgets keys': store => ({
    begin: (thread, { key: _, body: __, ...begin }) => store.begin(thread, begin),
  }),
  'takes any body for a key': store => ({
    begin: (thread, begin) =>
      store.begin(thread, begin.key === undefined ? begin : { ...begin, body: 'hash' }),
  }),
  'takes a writer that begins again for another one': store => ({
    async begin(thread, begin) {
      const held = (await store.head(thread))?.open
      if (held && held.expiresInMs > 0 && held.key !== begin.key)
        throw new LeaseError('turn_open', 'held', 1)
      if (held && held.expiresInMs > 0 && begin.key === undefined)
        throw new LeaseError('turn_open', 'held', 1)
      return store.begin(thread, begin)
    },
  }),
  'keeps the call of an append that comes again': store => ({
    async append(thread, append) {
      const appended = await store.append(thread, append)
      if (append.call) await store.saveCall(thread, append.call)
      return appended
    },
  }),
  'takes the end of an interrupted turn once': store => ({
    async end(thread, end) {
      const held = (await store.head(thread))?.open?.lease
      if (end.status === 'interrupted' && held?.epoch !== end.lease.epoch)
        throw new LeaseError('lease_lost', 'late')
      return store.end(thread, end)
    },
  }),
  'closes all that was left as interrupted': store => ({
    begin: (thread, { closing, ...begin }) =>
      store.begin(thread, { ...begin, ...(closing && { closing: { entries: closing.entries } }) }),
  }),
  'closes what was left for a request that was answered': store => ({
    async begin(thread, begin) {
      const left = (await store.head(thread))?.open
      if (left?.expiresInMs === 0 && begin.closing && begin.key !== undefined) {
        const taken = await store.resume(thread, { owner: 'closer', leaseMs: 1_000 })
        const end = {
          lease: taken!.lease,
          expectedHead: taken!.head,
          entries: [],
          status: 'failed',
        } as const
        await store.end(thread, end)
      }
      return store.begin(thread, begin)
    },
  }),
  'takes any number for the length of a lease': store => ({
    renew: (thread, lease, ms) =>
      store.renew(thread, lease, Number.isFinite(ms) && ms >= 0 ? ms : 0),
  }),
  'ends a turn in any state': store => ({
    end: (thread, end) => store.end(thread, { ...end, status: end.status ?? 'completed' }),
  }),
  'finds a mark as often as it is asked for': store => ({
    findMarks: async (tenant, marks, options) =>
      (await Promise.all(marks.map(mark => store.findMarks(tenant, [mark], options)))).flat(),
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
      [...(await store.conversations(...args))].sort((a, b) =>
        a.conversation < b.conversation ? -1 : 1,
      ),
  }),
  'lists by name alone': store => ({
    conversations: (tenant, options) => store.conversations(tenant, { ...options, order: 'name' }),
  }),
  'lists the oldest first': store => ({
    conversations: async (tenant, options) => {
      const page = await store.conversations(tenant, options)
      return options?.order === 'name' ? page : page.toReversed()
    },
  }),
  'begins every list at the top': store => ({
    conversations: async (tenant, { after, ...options } = {}) => {
      const all = await store.conversations(tenant, options)
      return after?.conversation === all.at(-1)?.conversation ? [] : all
    },
  }),
  'begins a page by time alone': store => ({
    conversations: async (tenant, { after, limit, ...options } = {}) => {
      if (options.order === 'name')
        return store.conversations(tenant, { after, ...(limit && { limit }), ...options })
      const all = await store.conversations(tenant, options)
      return all.filter(({ updatedAt }) => !after || updatedAt < after.updatedAt).slice(0, limit)
    },
  }),
  'counts the entries of a page': store => ({
    conversations: async (tenant, { after, limit = 1e9, ...options } = {}) => {
      const all = await store.conversations(tenant, options)
      const from = all.findIndex(({ conversation }) => conversation === after?.conversation) + 1
      return all.slice(from, from + limit)
    },
  }),
  'forgets metadata when it gets a title': store => ({
    describeConversation: (tenant, conversation, given) =>
      store.describeConversation(
        tenant,
        conversation,
        given.title !== undefined ? { metadata: null, ...given } : given,
      ),
  }),
  'keeps a title that was removed': store => ({
    describeConversation: (tenant, conversation, { title, ...given }) =>
      store.describeConversation(tenant, conversation, { ...given, title: title ?? undefined }),
  }),
  'keeps the first title': store => ({
    describeConversation: async (tenant, conversation, given) => {
      const all = await store.conversations(tenant)
      const known = all.find(info => info.conversation === conversation)?.title
      return store.describeConversation(tenant, conversation, {
        ...given,
        title: known ?? given.title,
      })
    },
  }),
  'lists the conversations of everybody for one person': store => ({
    conversations: (tenant, { person: _, ...page } = {}) => store.conversations(tenant, page),
  }),
  'searches what others said for one person': store => ({
    findWords: (tenant, words, { person: _, ...options } = {}) =>
      store.findWords(tenant, words, options),
  }),
  'takes metadata for text': store => ({
    describeConversation: (tenant, conversation, { metadata, ...given }) =>
      store.describeConversation(tenant, conversation, {
        ...given,
        metadata: metadata && String(metadata),
      }),
  }),
  'makes what is described newer': store => ({
    describeConversation: async (tenant, conversation, given) => {
      await store.describeConversation(tenant, conversation, given)
      await store.seed(
        { tenant, conversation, actor: 'list', branch: 'main' },
        { expectedHead: 0, entries: [] },
      )
    },
  }),
  'forgets how a call went': store => ({
    saveCall: (thread, call) => store.saveCall(thread, { ...call, status: 'completed' }),
  }),
  'forgets why a call failed': store => ({
    saveCall: (thread, { error: _, ...call }) => store.saveCall(thread, call),
  }),
  'keeps an error when a call is made again': store => ({
    saveCall: async (thread, call) => {
      const known = (await store.calls(thread)).find(({ id }) => id === call.id)
      return store.saveCall(thread, { ...(known?.error && { error: known.error }), ...call })
    },
  }),
  'finds one word of many': store => ({
    findWords: (tenant, words, options) =>
      store.findWords(
        tenant,
        words.map(() => words[0]!),
        options,
      ),
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
  'lists no tenants': () => ({ tenants: async () => [] }),
  'lists tenants in no order': store => ({
    tenants: async () => (await store.tenants()).toReversed(),
  }),
  'lists a tenant once for each conversation': store => ({
    tenants: async () => {
      const lists = (await store.tenants()).map(async tenant =>
        (await store.conversations(tenant)).map(() => tenant),
      )
      return (await Promise.all(lists)).flat()
    },
  }),
  'lists tenants that have deleted all': store => {
    let longest: readonly string[] = []
    return {
      tenants: async () => {
        const tenants = await store.tenants()
        if (tenants.length > longest.length) longest = tenants
        return longest
      },
    }
  },
  'says that its log is broken': () => ({ check: async () => ['broken'] }),
}

describe('storeCases', () => {
  /** The quickest first: most faults are found by a quick one, and every fault is looked for anew. */
  let cases = storeCases
  beforeAll(async () => {
    const took = new Map<StoreCase, number>()
    for (const one of storeCases) {
      const began = performance.now()
      const store = memoryStore()
      await one.run(async () => ({ ...store }))
      took.set(one, performance.now() - began)
    }
    cases = storeCases.toSorted((one, other) => took.get(one)! - took.get(other)!)
  })

  for (const [name, fault] of Object.entries(faults))
    it(`finds a store that ${name}`, async () => {
      const create = () => {
        const store = memoryStore()
        return { ...store, ...fault(store) }
      }
      expect(await firstFailure(cases, create)).toBeDefined()
    })

  it('says so where a second store has another backend', async () => {
    const another = expect.stringContaining('another store over the same backend each time')
    for (const { run } of pairCases)
      await expect(run(async () => memoryStore())).rejects.toMatchObject({ message: another })
  })
})

/** The first case that fails, if one does. */
async function firstFailure(
  cases: readonly StoreCase[],
  create: () => Store,
): Promise<string | undefined> {
  for (const { name, run } of cases) {
    const store = create()
    const error = await run(async () => ({ ...store })).then(
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

const withoutNul = (entry: NewEntry): NewEntry => ({
  ...entry,
  payload: entry.payload.replaceAll('\0', ''),
})

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
