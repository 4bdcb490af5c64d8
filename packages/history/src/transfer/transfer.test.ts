import { words } from '@throughline/core/counters'
import { memoryStore } from '@throughline/stores/memory'
import { everyStore } from '@throughline/test-tools/every-store'
import { describe, expect, it } from 'vitest'
import { createHistory } from '../create-history.ts'
import type { History } from '../history.ts'
import type { Thread } from '../thread.ts'
import { InvalidImportError } from './import-error.ts'

const stores = await everyStore()

const user = (content: string) => ({ role: 'user', content })
const assistant = (content: string) => ({ role: 'assistant', content })

async function begin(thread: Thread, text: string, key?: string) {
  const begun = await thread.begin(user(text), key === undefined ? {} : { key })
  if (begun.kind !== 'begun') throw new Error('expected a new turn')
  return begun.turn
}

async function list(lines: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = []
  for await (const line of lines) all.push(line)
  return all
}

/** Everything that a log can hold: notes, failures, forks, calls, odd names, an open turn. */
async function fill(history: History): Promise<void> {
  const thread = history.thread('trip', { actor: 'Dr. Smith' })
  await thread.seed({ role: 'system', content: 'seeded' }, user('earlier'), assistant('long ago'))
  await (await begin(thread, 'one 👍 \u2028', 'k1')).complete(assistant('1'), { note: 'n1' })
  await (await begin(thread, 'two')).fail('upstream_503')
  const branch = await thread.fork({ at: 6, branch: '__proto__' })
  await (await begin(branch, 'other')).complete(assistant('o'))
  const deeper = await branch.fork({ at: 8, branch: 'deeper' })
  await begin(deeper, 'left open')
  await thread.saveCall(await thread.context({ window: 200, system: 'S' }), {
    model: 'm',
    reported: 9,
  })
  await history.thread('trip', { actor: '$x' }).seed(user('alone'))
  await history.describe('trip', { title: 'A trip 👋', metadata: { tags: ['boat'] } })
  await (await begin(history.thread('other'), 'hello')).complete({
    ...assistant('hi'),
    1: 'b',
    a: 'c',
  } as never)
}

/** Entries that no import and no append of ours would write. */
const broken: Readonly<Record<string, string>> = {
  'no message': '{}',
  'no object': '3',
  'no role': '{"message":{"content":"x"}}',
  'a calibration that is none':
    '{"message":{"role":"user"},"calibration":{"model":"m","counter":"c","factor":1e9}}',
}

describe.each(Object.entries(broken))('an entry with %s', (_, payload) => {
  it('is reported by check, which goes on', async () => {
    const store = memoryStore()
    const key = { tenant: 'default', conversation: 'c', actor: 'assistant', branch: 'main' }
    const entry = { role: 'user', time: 1, tokens: {} } as const
    const sound = { ...entry, id: 'b', payload: '{"message":{"role":"user","content":"hi"}}' }
    const entries = [
      { ...entry, id: 'a', payload },
      { ...sound, tokens: { words: 9 } },
    ]
    await store.seed(key, { expectedHead: 0, entries })
    const history = createHistory({ store, count: words() })
    expect(await history.check()).toEqual([
      expect.stringMatching(/Entry 1 of thread c\/assistant\/main cannot be read/),
      'c/assistant/main: entry 2 has 1 token, its count says 9',
    ])
    await expect(history.thread('c').context()).rejects.toMatchObject({
      code: 'corrupt_entry',
      seq: 1,
    })
  })
})

describe.each(stores)('export and import on the %s store', (_, createStore) => {
  const open = () => createHistory({ store: createStore(), count: words() })

  it('is lossless: what was imported is exported as the very same lines', async () => {
    const [first, second] = [open(), open()]
    await fill(first)
    const lines = await list(first.exportAll())
    const imported = await second.import(lines)
    expect(imported).toMatchObject({ conversations: ['other', 'trip'], calls: 1 })
    expect(imported.entries).toBe(lines.filter(line => line.startsWith('{"kind":"entry"')).length)
    expect(await list(second.exportAll())).toEqual(lines)
    expect(await second.check()).toEqual([])
    const { title, metadata } = (await second.conversations({ order: 'name' }))[1]!
    expect([title, metadata]).toEqual(['A trip 👋', { tags: ['boat'] }])
    const thread = second.thread('trip', { actor: 'Dr. Smith' })
    expect(await thread.notes()).toEqual(['n1'])
    const [call] = await thread.calls()
    expect(JSON.stringify(await thread.replay(call!))).toContain('one 👍')
    expect((await thread.begin(user('one 👍 \u2028'), { key: 'k1' })).kind).toBe('replayed')
    expect((await second.search('alone'))[0]).toMatchObject({ thread: { actor: '$x' } })
  })

  it('goes on after an import, also in a turn that was open', async () => {
    const [first, second] = [open(), open()]
    await fill(first)
    await second.import(first.export('trip'), { as: 'journey' })
    const deeper = second.thread('journey', { actor: 'Dr. Smith', branch: 'deeper' })
    expect((await deeper.messages()).at(-1)).toMatchObject({ content: '[Interrupted.]' })
    await (await begin(deeper, 'on we go')).complete(assistant('yes'))
    expect((await deeper.turns()).map(({ status }) => status).slice(-2)).toEqual([
      'interrupted',
      'completed',
    ])
  })

  it('may be repeated, and adds what has come since', async () => {
    const [first, second] = [open(), open()]
    await fill(first)
    await second.import(first.export('trip'))
    await (await begin(first.thread('trip', { actor: '$x' }), 'more')).complete(assistant('m'))
    const lines = await list(first.export('trip'))
    await second.import(lines)
    await second.import(lines)
    expect(await list(second.export('trip'))).toEqual(lines)
  })

  it('refuses what is not an export, and says where', async () => {
    const first = open()
    await fill(first)
    const lines = await list(first.export('trip'))
    const refused = async (given: readonly string[], line: number, message: RegExp) => {
      const error = await open()
        .import(given)
        .then(
          () => undefined,
          error => error,
        )
      expect(error).toBeInstanceOf(InvalidImportError)
      expect(error).toMatchObject({ code: 'invalid_import', line })
      expect(error.message).toMatch(message)
    }
    await refused(['{"kind":"conver'], 1, /no JSON/)
    await refused([...lines.slice(0, 3), '{"kind":"joke"}'], 4, /"joke"/)
    await refused(lines.slice(0, -1), lines.length - 1, /ends early/)
    await refused(lines.slice(1), 1, /"conversation" must come before it/)
    await refused([lines[0]!, ...lines.slice(2)], 2, /"thread" must come before it/)
    await refused([lines[0]!.replace('"throughline":1', '"throughline":2')], 1, /version 2/)
    const odd = lines.map(line => line.replace('"title":"A trip 👋"', '"title":5'))
    await refused(odd, 1, /its "title" cannot be 5/)
    const gap = lines.findIndex(line => line.startsWith('{"kind":"entry"'))
    await refused(lines.toSpliced(gap, 1), expect.any(Number) as never, /./)
    await refused(
      [...lines, ...lines.map(line => line.replaceAll('earlier', 'forged'))],
      expect.any(Number) as never,
      /./,
    )
  })

  it('takes no token count that comes from outside', async () => {
    const [first, second] = [open(), open()]
    const thread = first.thread('trip')
    for (let n = 0; n < 40; n++)
      await (await begin(thread, `${n} ${'word '.repeat(20)}`)).complete(assistant('ok'))
    const lines = await list(first.exportAll())
    for (const count of [1, -5, 1e308, '"x"', '{}', 'null']) {
      const forged = lines.map(line =>
        line.replace('{"kind":"entry"', `{"kind":"entry","tokens":{"words":${count}}`),
      )
      const other = open()
      await expect(other.import(forged)).rejects.toMatchObject({ code: 'invalid_import' })
      expect(await list(other.exportAll())).toEqual([])
      expect(await other.check()).toEqual([])
    }
    const other = createHistory({ store: createStore() })
    await other.import(lines)
    expect(await list(other.exportAll())).toEqual(lines)
    await second.import(lines)
    await second.import(other.exportAll())
    expect(await list(second.exportAll())).toEqual(lines)
  })

  it('refuses an entry without a message, and leaves nothing of the file', async () => {
    const first = open()
    await fill(first)
    const lines = await list(first.exportAll())
    const at = lines.findIndex(line => line.includes('"id"') && line.includes('"two"'))
    for (const payload of [
      '{}',
      '{"message":null}',
      '[]',
      'null',
      '{"message":{"role":"user"},"view":3}',
    ]) {
      const odd = lines.with(
        at,
        lines[at]!.replace(/"payload":.*$/, `"payload":{"value":${payload}}}`),
      )
      const other = open()
      await expect(other.import(odd)).rejects.toMatchObject({
        code: 'invalid_import',
        line: at + 1,
      })
      expect(await list(other.exportAll())).toEqual([])
    }
  })

  it('keeps what it must when it deletes what is old', async () => {
    let now = 1_000_000
    const store = memoryStore({ now: () => now })
    const history = createHistory({ store, count: words(), now: () => now })
    await (await begin(history.thread('old'), 'a')).complete(assistant('b'))
    const kept = history.thread('kept')
    await (await begin(kept, 'a')).complete(assistant('b'))
    await kept.saveCall(await kept.context(), { model: 'm' })
    now += 10_000
    await (await begin(kept, 'c')).complete(assistant('d'))
    await kept.saveCall(await kept.context(), { model: 'm' })
    expect(await history.retain({ conversationsMs: 5_000, callsMs: 5_000 })).toEqual({
      deleted: ['old'],
      calls: 1,
    })
    expect((await kept.messages()).length).toBe(4)
    expect((await kept.calls()).length).toBe(1)
    expect(await history.retain({})).toEqual({ deleted: [], calls: 0 })
  })
})
