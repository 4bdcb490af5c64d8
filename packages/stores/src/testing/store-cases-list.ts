import type { ConversationInfo, ListConversations, Store, ThreadKey } from '../store.ts'
import { allRefused, equal, nothingAt, pluck, refused, toCases, writesTo } from './store-case.ts'
import {
  entry,
  exchange,
  findAll,
  newThread,
  open,
  read,
  sentCall,
  texts,
} from './store-cases-help.ts'

/** Lists of conversations and their descriptions; tenants with the same names; search. */
export const listCases = toCases({
  'lists conversations by name, page by page': async (store, thread) => {
    equal(await store.conversations(thread.tenant), [], 'no conversations')
    const names = ['b', 'Z', 'a', 'é', '\uff5e', '👋', 'aa']
    for (const conversation of names) await exchange(store, { ...thread, conversation }, 'x', 'y')
    await exchange(store, { ...thread, conversation: 'b', actor: 'Dr. Smith' }, 'z')
    await store.fork({ ...thread, conversation: 'b' }, { at: 2, branch: 'edit' })
    // By code points: no locale of a database changes the order.
    const order = ['Z', 'a', 'aa', 'b', 'é', '\uff5e', '👋']
    const all = await store.conversations(thread.tenant, { order: 'name' })
    equal(namesOf(all), order, 'all')
    const threads = [
      { actor: 'Dr. Smith', branch: 'main', head: 1 },
      { actor: 'assistant', branch: 'edit', head: 2 },
      { actor: 'assistant', branch: 'main', head: 2 },
    ]
    const listed = all[3]!.threads.map(({ updatedAt: _, ...rest }) => rest)
    equal(listed, threads, 'the threads of one')
    equal(await store.conversations(thread.tenant, { only: 'b' }), [all[3]], 'only one')
    const ordered = { only: 'b', order: 'recent' } as const
    equal(await store.conversations(thread.tenant, ordered), [all[3]], 'only one, in an order')
    equal(await store.conversations(thread.tenant, { only: 'c' }), [], 'one that is not there')
    if (!(all[3]!.createdAt <= all[3]!.updatedAt)) throw new Error('it changed before it was')
    equal(await pagesOf(store, thread.tenant, { order: 'name', limit: 3 }), order, 'page by page')
  },
  'lists only what nobody has used since a time': async (store, thread) => {
    await writeAt(store, thread, { a: 1_000, b: 3_000, c: 2_000, d: 2_000, e: 500 })
    await store.describeConversation(thread.tenant, 'd', { title: 'used' })
    await writeAt(store, { ...thread, actor: 'zoe' }, { e: 9_000 })
    const unused = (options: ListConversations) => pagesOf(store, thread.tenant, options)
    for (const [unusedSince, names] of [
      [2_001, ['a', 'c']],
      [2_000, ['a']],
      [1_000, []],
      [9_000, ['a', 'b', 'c']],
    ] as const) {
      equal(await unused({ order: 'name', limit: 1, unusedSince }), names, 'by name')
      equal((await unused({ limit: 2, unusedSince })).sort(), names, 'newest first')
    }
    const only = { only: 'b', unusedSince: 3_000 }
    equal(await store.conversations(thread.tenant, only), [], 'only one, which was used')
    await refused(() => unused({ unusedSince: Number.NaN }), 'invalid_option')
  },
  'lists what was written minutes apart, and much of it in one minute, page by page': async (
    store,
    thread,
  ) => {
    const minute = 60_000
    const times = { a: 9, b: 1, c: 5, d: 5.2, e: 5.9, f: 6, g: 6.1, h: 30, i: 2, j: 29.5 }
    const at = Object.entries(times).map(([name, minutes]) => [name, minutes * minute] as const)
    await writeAt(store, thread, Object.fromEntries(at))
    await writeAt(store, { ...thread, actor: 'zoe' }, { b: 5.5 * minute, i: 40 * minute })
    const order = ['i', 'h', 'j', 'a', 'g', 'f', 'e', 'b', 'd', 'c']
    for (const limit of [1, 2, 3, 7, 100])
      equal(await pagesOf(store, thread.tenant, { limit }), order, `pages of ${limit}`)
    for (const conversation of ['c', 'h', 'b', 'f', 'i'])
      await store.describeConversation(thread.tenant, conversation, { person: 'ada' })
    const hers = { person: 'ada', limit: 2 }
    equal(await pagesOf(store, thread.tenant, hers), ['i', 'h', 'f', 'b', 'c'], 'of a person')
    await store.deleteConversation(thread.tenant, 'h')
    equal(await pagesOf(store, thread.tenant, hers), ['i', 'f', 'b', 'c'], 'without a deleted one')
  },
  'refuses what is no number, no name and no query': async (store, thread) => {
    await exchange(store, thread, 'a pelican', 'a bird')
    const odd = [Number.NaN, 1.5, Number.POSITIVE_INFINITY, '2', null] as number[]
    for (const limit of [...odd, -1])
      await allRefused('invalid_option', [
        () => store.conversations(thread.tenant, { limit }),
        () => findAll(store, thread.tenant, 'pelican', { limit }),
        () => store.calls(thread, { limit }),
        () => read(store, thread, { limit }),
      ])
    for (const place of odd) {
      await refused(() => read(store, thread, { from: place }), 'invalid_option')
      await refused(() => read(store, thread, { to: place }), 'invalid_option')
    }
    equal(
      await texts(store, thread, { from: -5, to: 1e12 }),
      ['a pelican', 'a bird'],
      'more than there is',
    )
    equal(await texts(store, thread, { limit: 0 }), [], 'none')
    for (const name of [undefined, null, 5] as unknown as string[])
      await allRefused('invalid_option', [
        () => store.conversations(name),
        () => findAll(store, name, 'pelican'),
        () => findAll(store, thread.tenant, name),
        () => store.head({ ...thread, tenant: name }),
        () => store.seed(thread, { expectedHead: 2, entries: [{ ...entry('x'), payload: name }] }),
      ])
  },
  'lists what was last written to first, page by page': async (store, thread) => {
    await writeAt(store, thread, { a: 1_000, b: 3_000, d: 2_000, c: 2_000 })
    const order = ['b', 'c', 'd', 'a']
    equal(namesOf(await store.conversations(thread.tenant)), order, 'all')
    equal(
      namesOf(await store.conversations(thread.tenant, { order: 'recent' })),
      order,
      'by its name',
    )
    for (const limit of [1, 2, 3])
      equal(await pagesOf(store, thread.tenant, { limit }), order, 'page by page')
    const times = pluck(await store.conversations(thread.tenant), 'updatedAt')
    equal(times, [3_000, 2_000, 2_000, 1_000], 'the times')
    await writeAt(store, { ...thread, actor: 'zoe' }, { b: 4_000 })
    const [first] = await store.conversations(thread.tenant)
    equal(pluck(first!.threads, 'updatedAt'), [3_000, 4_000], 'the times of threads')
    await refused(
      () => store.conversations(thread.tenant, { order: 'size' as 'name' }),
      'invalid_option',
    )
    const nowhere = { conversation: 'a', updatedAt: Number.NaN }
    await refused(() => store.conversations(thread.tenant, { after: nowhere }), 'invalid_option')
  },
  'loses no place in a list while others write': async (store, thread) => {
    await writeAt(store, thread, { a: 1_000, b: 2_000, c: 3_000, d: 4_000 })
    const [, second] = await store.conversations(thread.tenant, { limit: 2 })
    await exchange(store, { ...thread, conversation: 'd' }, 'again')
    await exchange(store, { ...thread, conversation: 'new' }, 'x')
    equal(
      namesOf(await store.conversations(thread.tenant, { after: second })),
      ['b', 'a'],
      'the second page',
    )
    const again = namesOf(await store.conversations(thread.tenant))
    equal(again.slice(2), ['c', 'b', 'a'], 'the first page, again')
  },
  'keeps a title and metadata, until others come': async (store, thread) => {
    const { tenant, conversation } = thread
    await writeAt(store, thread, { [conversation]: 1_000, other: 2_000 })
    const described = async () => {
      const all = await store.conversations(tenant)
      equal(namesOf(all), ['other', conversation], 'the list')
      const { title, metadata, updatedAt } = all[1]!
      equal([updatedAt, all[0]?.title, all[0]?.metadata], [1_000, undefined, undefined], 'the rest')
      return { title, metadata }
    }
    const describe = (description: Parameters<Store['describeConversation']>[2]) =>
      store.describeConversation(tenant, conversation, description)
    equal(await described(), {}, 'before')
    const odd = { text: 'NUL \0, half \ud800, 漢字', list: [1, null, { a: true }], '': -0.5 }
    await describe({ title: 'Bérth 12 👋', metadata: odd })
    equal(await described(), { title: 'Bérth 12 👋', metadata: odd }, 'both')
    await describe({ title: '' })
    equal(await described(), { title: '', metadata: odd }, 'another title')
    for (const metadata of ['text', 0, false, []]) {
      await describe({ metadata })
      equal(await described(), { title: '', metadata }, 'other metadata')
    }
    await describe({ title: null })
    equal(await described(), { metadata: [] }, 'no title')
    await describe({ title: 'x', metadata: null })
    await describe({})
    equal(await described(), { title: 'x' }, 'no metadata')
    for (const large of [{ metadata: 'x'.repeat(64 * 1024) }, { title: 'x'.repeat(1_025) }])
      await refused(() => describe(large), 'too_large')
    for (const none of [{ metadata: () => 1 }, { metadata: 1n }, { title: 5 as unknown as string }])
      await refused(() => describe(none), 'invalid_option')
    equal(await described(), { title: 'x' }, 'what was refused')
  },
  'lists and searches what is one person’s, and nothing of others': async (store, thread) => {
    const theirs = newThread().tenant
    const people = { a: 'ada', b: 'bob', c: 'ada', d: undefined }
    for (const [conversation, person] of Object.entries(people)) {
      await exchange(store, { ...thread, conversation }, `pelican ${conversation}`)
      await store.describeConversation(thread.tenant, conversation, { person })
    }
    await exchange(store, { ...thread, tenant: theirs, conversation: 'e' }, 'pelican e')
    await store.describeConversation(theirs, 'e', { person: 'ada' })
    const of = (person: string, more: ListConversations = {}) =>
      store.conversations(thread.tenant, { person, order: 'name', ...more })
    const all = await of('ada')
    const owned = all.map(({ conversation, person }) => `${conversation} ${person}`)
    equal(owned, ['a ada', 'c ada'], 'Ada’s')
    equal(namesOf(await of('ada', { order: 'recent' })).sort(), ['a', 'c'], 'Ada’s, by time')
    equal(namesOf(await of('ada', { after: all[0] })), ['c'], 'her second page')
    equal(namesOf(await of('ada', { only: 'b' })), [], 'a name that is not hers')
    equal(namesOf(await of('eve')), [], 'of one who has none')
    equal((await store.conversations(thread.tenant)).length, 4, 'of everybody')
    const hits = async (person: string) =>
      (await findAll(store, thread.tenant, 'pelican', { person }))
        .map(one => one.thread.conversation)
        .sort()
    equal(
      [await hits('ada'), await hits('bob'), await hits('eve')],
      [['a', 'c'], ['b'], []],
      'found',
    )
    await store.describeConversation(thread.tenant, 'a', { title: 'x' })
    await store.describeConversation(thread.tenant, 'c', { person: null })
    await store.describeConversation(thread.tenant, 'b', { person: 'ada' })
    equal(namesOf(await of('ada')), ['a', 'b'], 'after others were named')
    await store.deleteConversation(thread.tenant, 'a')
    equal([namesOf(await of('ada')), await hits('ada')], [['b'], ['b']], 'after one was deleted')
    for (const person of ['', 5 as unknown as string])
      await allRefused('invalid_option', [
        () => of(person),
        () => findAll(store, thread.tenant, 'pelican', { person }),
        () => store.describeConversation(thread.tenant, 'b', { person }),
      ])
  },
  'finds the newest entries of a person that have a word, in one of its forms': async (
    store,
    thread,
  ) => {
    const theirs = newThread().tenant
    for (const [tenant, conversation, person, text] of [
      [thread.tenant, 'a', 'ada', 'we hiked to the pelican'],
      [thread.tenant, 'b', 'ada', 'hiking again'],
      [thread.tenant, 'c', 'bob', 'a hike with a pelican'],
      [theirs, 'd', 'ada', 'a hike with a pelican'],
    ] as const) {
      await exchange(store, { ...thread, tenant, conversation }, text)
      await store.describeConversation(tenant, conversation, { person })
    }
    const forms = [['hike', 'hiked', 'hiking'], ['pelican'], ['walrus']]
    const placesOf = async (person: string, limit?: number) => {
      const places = await store.findWords(thread.tenant, forms, {
        person,
        ...(limit && { limit }),
      })
      return places.map(list =>
        list.map(place => `${place.thread.conversation}${place.seq}`).sort(),
      )
    }
    equal(await placesOf('ada'), [['a1', 'b1'], ['a1'], []], 'Ada’s')
    equal(await placesOf('bob'), [['c1'], ['c1'], []], 'Bob’s')
    equal((await placesOf('ada', 1))[0]!.length, 1, 'as many as are wanted')
    const [timed = []] = await store.findWords(thread.tenant, forms, { person: 'ada', times: true })
    equal(timed.length, 2, 'with their times')
    for (const { thread, seq, time } of timed)
      equal(
        [time],
        pluck(await read(store, thread, { from: seq, to: seq }), 'time'),
        'the time of an entry',
      )
    await store.deleteConversation(thread.tenant, 'a')
    equal(await placesOf('ada'), [['b1'], [], []], 'after one was deleted')
  },
  'describes only what is there, and only for its tenant': async (store, thread) => {
    const theirs = newThread().tenant
    await exchange(store, thread, 'a')
    await store.describeConversation(thread.tenant, thread.conversation, { title: 'mine' })
    const describe = (tenant: string, name: string) => () =>
      store.describeConversation(tenant, name, { title: 'x' })
    await refused(describe(theirs, thread.conversation), 'no_conversation')
    await refused(describe(thread.tenant, 'never'), 'no_conversation')
    equal((await store.conversations(thread.tenant))[0]?.title, 'mine', 'the title')
    await store.deleteConversation(thread.tenant, thread.conversation)
    await refused(describe(thread.tenant, thread.conversation), 'conversation_deleted')
    equal(await store.conversations(thread.tenant), [], 'the list')
  },
  'never lets one tenant see another, by any method': async (store, mine) => {
    const theirs: ThreadKey = { ...mine, tenant: newThread().tenant }
    const { lease } = await open(store, mine, {
      key: 'k',
      body: '1',
      entries: [entry('secret word')],
    })
    await store.saveCall(mine, { ...sentCall, id: 'c' })
    await store.saveCache(mine, 'fold', 1, new Uint8Array([1]))
    await nothingAt(store, theirs)
    equal(await store.conversations(theirs.tenant), [], 'conversations')
    equal(await findAll(store, theirs.tenant, 'secret'), [], 'search')
    equal(await store.deleteConversation(theirs.tenant, theirs.conversation), false, 'delete')
    await allRefused('no_conversation', writesTo(store, theirs, lease))
    // The same names in another tenant: the two stay apart.
    await open(store, theirs, { key: 'k', body: '2', entries: [entry('other')] })
    equal(await texts(store, mine), ['secret word'], 'mine')
    equal(
      await store.deleteConversation(theirs.tenant, theirs.conversation),
      true,
      'delete of their own',
    )
    equal(await texts(store, mine), ['secret word'], 'mine, after they deleted theirs')
    equal((await store.calls(mine)).length, 1, 'my calls')
    await store.append(mine, { lease, expectedHead: 1, entries: [entry('x')] })
  },
  'lists the tenants that have a conversation, each once and by code points': async (
    store,
    thread,
  ) => {
    // U+FFFD comes before an emoji by code points, and after it by UTF-16 units.
    const names = ['B', 'a', 'é', '\ufffd', '😀'].map(name => `${thread.tenant} ${name}`)
    const listed = async () =>
      (await store.tenants()).filter(name => name.startsWith(thread.tenant))
    equal(await listed(), [], 'tenants without a conversation')
    for (const tenant of names.toReversed()) await exchange(store, { ...thread, tenant }, 'hello')
    await exchange(store, { ...thread, tenant: names[0]!, conversation: 'second' }, 'hello')
    equal(await listed(), names, 'tenants')
    await store.deleteConversation(names[0]!, thread.conversation)
    equal(await listed(), names, 'tenants, one of them with a conversation fewer')
    await store.deleteConversation(names[1]!, thread.conversation)
    equal(
      await listed(),
      names.toSpliced(1, 1),
      'tenants, one of them without its only conversation',
    )
  },
  'finds words in the texts of payloads': async (store, thread) => {
    await exchange(store, thread, 'Where are the Lemons?', 'In the kitchen, with 40 limes.')
    await exchange(store, { ...thread, actor: 'bob' }, 'kitchen lemons')
    const content = [{ type: 'text', text: 'deep zebra' }]
    const payload = JSON.stringify({ content, tool_calls: [{ args: { city: 'Oslo' } }] })
    const nested = { expectedHead: 0, entries: [{ ...entry(''), payload }] }
    await store.seed({ ...thread, conversation: 'two' }, nested)
    const find = async (query: string) =>
      (await findAll(store, thread.tenant, query))
        .map(f => `${f.thread.conversation}/${f.thread.actor}/${f.seq}`)
        .sort()
    equal(await find('lemons'), ['lemonade/assistant/1', 'lemonade/bob/1'], 'a word in any case')
    equal(await find('lemons kitchen'), ['lemonade/bob/1'], 'both words')
    equal(await find('40'), ['lemonade/assistant/2'], 'a number')
    equal(await find('zebra'), ['two/assistant/1'], 'a nested text')
    equal(await find('oslo'), ['two/assistant/1'], 'an argument')
    equal(await find('tool_calls'), [], 'a field name')
    equal(await find('mango'), [], 'what is not there')
    const odd = [
      '',
      '   ',
      '"',
      '*',
      'AND',
      'NOT',
      '( OR',
      "'; --",
      'NEAR(',
      '\0',
      '\ud800',
      '-',
      ':',
    ]
    for (const query of odd) equal(await find(query), [], `the query ${JSON.stringify(query)}`)
    equal(await find('"lemons" AND: (kitchen*'), [], 'words of a query are words, not operators')
    const hits = await findAll(store, thread.tenant, 'limes')
    equal(hits, [{ thread, seq: 2 }], 'what is found')
    equal((await findAll(store, thread.tenant, 'lemons', { limit: 1 })).length, 1, 'the limit')
    const { conversation } = thread
    const inConversation = await findAll(store, thread.tenant, 'limes', { conversation })
    equal(pluck(inConversation, 'seq'), [2], 'what is found in one conversation')
    equal(
      await findAll(store, thread.tenant, 'limes', { conversation: 'other' }),
      [],
      'in another one',
    )
  },
  'finds an entry of a shared past once': async (store, thread) => {
    await exchange(store, thread, 'pelican', 'yes')
    await store.fork(thread, { at: 2, branch: 'x' })
    equal(
      pluck(await findAll(store, thread.tenant, 'pelican'), 'thread'),
      [thread],
      'where it is found',
    )
  },
})

async function writeAt(
  store: Store,
  thread: ThreadKey,
  times: Record<string, number>,
): Promise<void> {
  for (const [conversation, time] of Object.entries(times)) {
    const entries = [{ ...entry('x'), time, seq: 1, turn: 0 }]
    await store.restore({ ...thread, conversation }, { entries, turns: [] })
  }
}

const namesOf = (page: readonly ConversationInfo[]) => pluck(page, 'conversation')

async function pagesOf(
  store: Store,
  tenant: string,
  options: ListConversations,
): Promise<string[]> {
  const names: string[] = []
  for (let after: ConversationInfo | undefined; ; ) {
    const page = await store.conversations(tenant, { ...options, after })
    if (page.length === 0) return names
    names.push(...namesOf(page))
    after = page.at(-1)
  }
}
