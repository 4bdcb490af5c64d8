import type { ThreadKey } from '../stores/store.ts'
import { allRefused, equal, nothingAt, pluck, toCases, writesTo } from './store-case.ts'
import { entry, exchange, findAll, newThread, open, sentCall, texts } from './store-cases-help.ts'

/** Tenants with the same names, search. */
export const tenantCases = toCases({
  'never lets one tenant see another, by any method': async (store, mine) => {
    const theirs: ThreadKey = { ...mine, tenant: newThread().tenant }
    const { lease } = await open(store, mine, { key: 'k', body: '1', entries: [entry('secret word')] })
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
    equal(await store.deleteConversation(theirs.tenant, theirs.conversation), true, 'delete of their own')
    equal(await texts(store, mine), ['secret word'], 'mine, after they deleted theirs')
    equal((await store.calls(mine)).length, 1, 'my calls')
    await store.append(mine, { lease, expectedHead: 1, entries: [entry('x')] })
  },
  'lists the tenants that have a conversation, each once and by code points': async (store, thread) => {
    // U+FFFD comes before an emoji by code points, and after it by UTF-16 units.
    const names = ['B', 'a', 'é', '\ufffd', '😀'].map(name => `${thread.tenant} ${name}`)
    const listed = async () => (await store.tenants()).filter(name => name.startsWith(thread.tenant))
    equal(await listed(), [], 'tenants without a conversation')
    for (const tenant of names.toReversed()) await exchange(store, { ...thread, tenant }, 'hello')
    await exchange(store, { ...thread, tenant: names[0]!, conversation: 'second' }, 'hello')
    equal(await listed(), names, 'tenants')
    await store.deleteConversation(names[0]!, thread.conversation)
    equal(await listed(), names, 'tenants, one of them with a conversation fewer')
    await store.deleteConversation(names[1]!, thread.conversation)
    equal(await listed(), names.toSpliced(1, 1), 'tenants, one of them without its only conversation')
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
    const odd = ['', '   ', '"', '*', 'AND', 'NOT', '( OR', "'; --", 'NEAR(', '\0', '\ud800', '-', ':']
    for (const query of odd) equal(await find(query), [], `the query ${JSON.stringify(query)}`)
    equal(await find('"lemons" AND: (kitchen*'), [], 'words of a query are words, not operators')
    const hits = await findAll(store, thread.tenant, 'limes')
    equal(hits, [{ thread, seq: 2 }], 'what is found')
    equal((await findAll(store, thread.tenant, 'lemons', { limit: 1 })).length, 1, 'the limit')
    const { conversation } = thread
    const inConversation = await findAll(store, thread.tenant, 'limes', { conversation })
    equal(pluck(inConversation, 'seq'), [2], 'what is found in one conversation')
    equal(await findAll(store, thread.tenant, 'limes', { conversation: 'other' }), [], 'in another one')
  },
  'finds an entry of a shared past once': async (store, thread) => {
    await exchange(store, thread, 'pelican', 'yes')
    await store.fork(thread, { at: 2, branch: 'x' })
    equal(pluck(await findAll(store, thread.tenant, 'pelican'), 'thread'), [thread], 'where it is found')
  },
})
