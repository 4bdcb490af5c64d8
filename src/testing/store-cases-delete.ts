import {
  entry,
  equal,
  exchange,
  long,
  open,
  read,
  refused,
  type StoreCase,
  sentCall,
  storeCase,
  texts,
} from './store-cases-help.ts'

/** A conversation is deleted whole; its name stays refused, so that no late write brings a part of it back. */
export const deleteCases: readonly StoreCase[] = [
  storeCase('deletes a conversation with all that belongs to it', async (store, thread) => {
    const bob = { ...thread, actor: 'bob' }
    const edit = { ...thread, branch: 'edit' }
    const other = { ...thread, conversation: 'other' }
    await exchange(store, other, 'keep pelican')
    await exchange(store, thread, 'secret pelican', 'b')
    await exchange(store, bob, 'bob pelican')
    await store.fork(thread, { at: 2, branch: 'edit' })
    await exchange(store, edit, 'edit pelican')
    await store.saveCall(thread, { ...sentCall, id: 'c' })
    await store.saveCache(thread, 'fold', 1, new Uint8Array([1]))
    equal(await store.deleteConversation(thread.tenant, thread.conversation), true, 'the answer')
    for (const gone of [thread, bob, edit]) {
      equal(await store.head(gone), undefined, 'head')
      equal(await read(store, gone), [], 'entries')
      equal(await store.turns(gone), [], 'turns')
      equal(await store.calls(gone), [], 'calls')
      equal(await store.loadCache(gone, 'fold'), undefined, 'cache')
    }
    equal(
      (await store.conversations(thread.tenant)).map(c => c.conversation),
      ['other'],
      'the list',
    )
    const found = await store.search(thread.tenant, 'pelican')
    equal(
      found.map(f => f.thread.conversation),
      ['other'],
      'the search',
    )
    equal(await texts(store, other), ['keep pelican'], 'another conversation')
    equal(await store.deleteConversation(thread.tenant, thread.conversation), false, 'the answer, again')
  }),
  storeCase('refuses late writes to a deleted conversation, and its name', async (store, thread) => {
    const { lease } = await open(store, thread)
    await store.deleteConversation(thread.tenant, thread.conversation)
    const late = { lease, expectedHead: 1, entries: [entry('late')] }
    const call = { ...sentCall, id: 'c' }
    const writes = [
      () => store.append(thread, late),
      () => store.end(thread, { ...late, status: 'completed' }),
      () => store.renew(thread, lease, long),
      () => store.begin(thread, { owner: 'bob', leaseMs: long, entries: [entry('again')] }),
      () => store.begin({ ...thread, actor: 'new' }, { owner: 'bob', leaseMs: long, entries: [] }),
      () => store.seed(thread, { expectedHead: 0, entries: [entry('again')] }),
      () => store.fork(thread, { at: 0, branch: 'x' }),
      () => store.saveCall(thread, call),
      () => store.saveCache(thread, 'fold', 1, new Uint8Array([1])),
    ]
    for (const write of writes) await refused(write, 'conversation_deleted')
    equal(await read(store, thread), [], 'the entries')
    equal(await store.conversations(thread.tenant), [], 'the list')
  }),
  storeCase('deletes nothing where nothing is', async (store, thread) => {
    equal(await store.deleteConversation(thread.tenant, 'never'), false, 'the answer')
    await exchange(store, { ...thread, conversation: 'never' }, 'a')
    equal(await texts(store, { ...thread, conversation: 'never' }), ['a'], 'the name is free')
  }),
]
