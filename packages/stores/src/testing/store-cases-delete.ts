import { allRefused, equal, nothingAt, pluck, refused, toCases, writesTo } from './store-case.ts'
import {
  abandoned,
  entry,
  exchange,
  findAll,
  long,
  newThread,
  open,
  read,
  sentCall,
  texts,
} from './store-cases-help.ts'

/** A deleted conversation is gone whole, and its name refused. What is erased or old goes, and the rest stays. */
export const deleteCases = toCases({
  'deletes a conversation with all that belongs to it': async (store, thread) => {
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
    for (const gone of [thread, bob, edit]) await nothingAt(store, gone)
    equal(pluck(await store.conversations(thread.tenant), 'conversation'), ['other'], 'the list')
    const threads = pluck(await findAll(store, thread.tenant, 'pelican'), 'thread')
    equal(threads, [other], 'the search')
    equal(await texts(store, other), ['keep pelican'], 'another conversation')
    equal(
      await store.deleteConversation(thread.tenant, thread.conversation),
      false,
      'the answer, again',
    )
  },
  'refuses late writes to a deleted conversation, and its name': async (store, thread) => {
    const { lease } = await open(store, thread)
    await store.deleteConversation(thread.tenant, thread.conversation)
    await allRefused('conversation_deleted', [
      ...writesTo(store, thread, lease),
      () => store.begin(thread, { owner: 'bob', leaseMs: long, entries: [entry('again')] }),
      () => store.begin({ ...thread, actor: 'new' }, { owner: 'bob', leaseMs: long, entries: [] }),
      () => store.seed(thread, { expectedHead: 0, entries: [entry('again')] }),
    ])
    equal(await texts(store, thread), [], 'the entries')
    equal(await store.conversations(thread.tenant), [], 'the list')
  },
  'deletes nothing where nothing is': async (store, thread) => {
    equal(await store.deleteConversation(thread.tenant, 'never'), false, 'the answer')
    await exchange(store, { ...thread, conversation: 'never' }, 'a')
    equal(await texts(store, { ...thread, conversation: 'never' }), ['a'], 'the name is free')
  },
  'erases the text of an entry with all that was made of it': async (store, thread) => {
    const bob = { ...thread, actor: 'bob' }
    await exchange(store, thread, 'a heron')
    await exchange(store, thread, 'secret pelican', 'a bird')
    await exchange(store, bob, 'bob pelican')
    await store.fork(thread, { at: 3, branch: 'edit' })
    const edit = { ...thread, branch: 'edit' }
    const plans = [
      '"first"',
      '"the secret pelican, twice"',
      '"the secret pelican, twice and again"',
    ]
    for (const key of [thread, bob, edit]) {
      await store.saveCache(key, 'fold', 1, new Uint8Array([1]))
      // A plan may be packed with the one before it: the last one must be read without that.
      for (const [at, turn] of [1, 2, 1].entries())
        await store.saveCall(key, { ...sentCall, id: `call ${at}`, turn, plan: plans[at]! })
    }
    const [before] = await read(store, thread, { from: 2, to: 2 })
    equal(await store.erase(edit, 2, mark), true, 'the answer')
    for (const key of [thread, edit]) {
      const [after] = await read(store, key, { from: 2, to: 2 })
      equal(after, { ...before!, ...mark }, 'the entry')
      equal(
        pluck(await store.calls(key), 'plan'),
        [plans[2], plans[0]],
        'the calls of turns before it',
      )
      equal(await store.loadCache(key, 'fold'), undefined, 'the cache')
    }
    equal(await texts(store, thread), ['a heron', 'gone', 'a bird'], 'the log')
    equal(pluck(await findAll(store, thread.tenant, 'pelican'), 'thread'), [bob], 'what is found')
    equal((await store.calls(bob)).length, 3, 'the calls of another actor')
    equal(await store.erase(thread, 2, mark), true, 'the answer, again')
    equal(await store.erase(thread, 9, mark), false, 'the answer where nothing is')
    await refused(
      () => store.erase(thread, 1, { ...mark, payload: '{"content":"b"}' }),
      'invalid_option',
    )
    await exchange(store, thread, 'later')
    equal(await texts(store, thread, { from: 3 }), ['a bird', 'later'], 'what follows')
  },
  'erases an entry that no other store of it finds again': async (store, thread) => {
    await exchange(store, thread, 'secret pelican', 'a bird')
    const stretch = { entries: await read(store, thread), turns: await store.turns(thread) }
    await store.erase(thread, 1, mark)
    await refused(() => store.restore(thread, stretch), 'conflict')
    equal(await texts(store, thread), ['gone', 'a bird'], 'the log')
    const never = { ...thread, conversation: 'never' }
    await refused(() => store.erase(never, 1, mark), 'no_conversation')
  },
  'deletes the calls of one tenant before a time, in all threads': async (store, thread) => {
    const bob = { ...thread, conversation: 'other', actor: 'bob' }
    const edit = { ...thread, branch: 'edit' }
    const theirs = { ...thread, tenant: newThread().tenant }
    for (const key of [thread, bob, theirs]) await exchange(store, key, 'a', 'b')
    await store.fork(thread, { at: 2, branch: 'edit' })
    for (const key of [thread, bob, edit, theirs])
      for (const time of [1, 5, 9])
        await store.saveCall(key, { ...sentCall, id: `call ${time}`, time })
    equal(await store.deleteCalls(thread.tenant, 5), 3, 'how many')
    const times = async (key: typeof thread) => (await store.calls(key)).map(({ time }) => time)
    for (const key of [thread, bob, edit])
      equal(await times(key), [9, 5], `the calls of ${key.actor}/${key.branch}`)
    equal(await times(theirs), [9, 5, 1], 'the calls of another tenant')
    equal(await store.deleteCalls(thread.tenant, 5), 0, 'how many, again')
    equal(await store.deleteCalls(newThread().tenant, 99), 0, 'how many of an empty tenant')
    await store.saveCall(thread, { ...sentCall, id: 'call 1', time: 12 })
    equal(await times(thread), [12, 9, 5], 'an id that was free again')
    equal(await texts(store, thread), ['a', 'b'], 'the entries')
    await refused(() => store.deleteCalls(thread.tenant, Number.NaN), 'invalid_option')
    equal(await times(thread), [12, 9, 5], 'the calls after a time that is none')
  },
  'deletes a conversation only when nothing was written since': async (store, thread) => {
    await exchange(store, thread, 'a', 'b')
    await exchange(store, { ...thread, actor: 'bob' }, 'c')
    const { updatedAt } = (await store.conversations(thread.tenant))[0]!
    const remove = (unusedSince: number) =>
      store.deleteConversation(thread.tenant, thread.conversation, { unusedSince })
    for (const since of [0, updatedAt - 1, updatedAt])
      equal(await remove(since), false, 'while it is used')
    await refused(() => remove(Number.NaN), 'invalid_option')
    equal(await texts(store, thread), ['a', 'b'], 'the entries')
    await exchange(store, thread, 'd')
    equal(await remove(updatedAt + 1e9), true, 'when it is old')
    equal(await store.head(thread), undefined, 'the head')
    equal(await remove(updatedAt + 1e9), false, 'once it is deleted')
    const never = store.deleteConversation(thread.tenant, 'never', { unusedSince: updatedAt + 1e9 })
    equal(await never, false, 'where nothing is')
  },
  'counts a description as use, also an empty one, and not as a write': async (store, thread) => {
    const restored = { seq: 1, turn: 0, ...entry('a'), time: 1000 }
    await store.restore(thread, { entries: [restored], turns: [] })
    const info = async () => (await store.conversations(thread.tenant))[0]!
    const remove = (unusedSince: number) =>
      store.deleteConversation(thread.tenant, thread.conversation, { unusedSince })
    equal((await info()).usedAt, undefined, 'the use before')
    await store.describeConversation(thread.tenant, thread.conversation, {})
    const { updatedAt, usedAt = 0 } = await info()
    equal(
      [updatedAt, usedAt > 1000],
      [1000, true],
      'the last write, and whether the use came later',
    )
    equal(await remove(usedAt), false, 'while it is used')
    equal(await remove(usedAt + 1), true, 'when it is old')
  },
  'leaves the name free where a conversation went because of its age': async (store, thread) => {
    await exchange(store, thread, 'pelican', 'a bird')
    await store.describeConversation(thread.tenant, thread.conversation, {
      title: 'Birds',
      person: 'ada',
    })
    const { updatedAt } = (await store.conversations(thread.tenant))[0]!
    await store.deleteConversation(thread.tenant, thread.conversation, {
      unusedSince: updatedAt + 1e9,
    })
    await nothingAt(store, thread)
    equal(await store.conversations(thread.tenant), [], 'the list')
    await exchange(store, thread, 'heron')
    equal(await texts(store, thread), ['heron'], 'the entries of the next one')
    const [next] = await store.conversations(thread.tenant)
    equal(
      [next?.title, next?.person, next?.usedAt],
      [undefined, undefined, undefined],
      'what is left',
    )
    equal(await findAll(store, thread.tenant, 'pelican'), [], 'what is found')
    equal(
      await store.deleteConversation(thread.tenant, thread.conversation),
      true,
      'the answer to a person',
    )
    await refused(() => exchange(store, thread, 'late'), 'conversation_deleted')
  },
  'deletes no conversation in which somebody holds a turn': async (store, thread) => {
    const bob = { ...thread, actor: 'bob' }
    await exchange(store, thread, 'a')
    const { lease } = await open(store, bob)
    const future = (await store.conversations(thread.tenant))[0]!.updatedAt + 1e9
    const remove = () =>
      store.deleteConversation(thread.tenant, thread.conversation, { unusedSince: future })
    equal(await remove(), false, 'while a turn is held')
    await store.end(bob, { lease, expectedHead: 1, entries: [], status: 'completed' })
    await abandoned(store, bob)
    equal(await remove(), true, 'when the lease has run out')
    equal(await store.conversations(thread.tenant), [], 'the list')
  },
})

const mark = { payload: '{"erased":true,"content":"gone"}', tokens: { words: 1 } }
