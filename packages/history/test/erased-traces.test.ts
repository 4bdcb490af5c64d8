import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LeaseError } from '@throughline/stores/errors'
import { documentStore, memoryStore } from '@throughline/stores/memory'
import { postgresStore } from '@throughline/stores/postgres'
import { sqliteStore } from '@throughline/stores/sqlite'
import { everyStore } from '@throughline/test-tools/every-store'
import { openPool, startPostgres, whyNoPostgres } from '@throughline/test-tools/postgres'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createHistory, type History } from '../src/index.ts'

const secret = 'zanzibar quillfeather'
const user = (content: string) => ({ role: 'user', content })
const assistant = (content: string) => ({ role: 'assistant', content })
const embed = {
  model: 'e',
  embed: async (texts: readonly string[]) => texts.map(text => [text.length, 1, 2]),
}

/** A conversation with the secret in a message, in stored calls, in recall, in vectors and in caches. */
async function fill(history: History, name = 'trip') {
  const thread = history.thread(name)
  await thread.seedTurns([
    user('Hello, I am Ada.'),
    assistant('Hello!'),
    user(`The password of the harbour is ${secret}.`),
    assistant('I keep it in mind.'),
  ])
  for (let n = 0; n < 150; n++)
    await thread.seedTurns([
      user(`Day ${n}: ${'wind and water. '.repeat(10)}`),
      assistant(`Noted ${n}.`),
    ])
  const begun = await thread.begin(user('What was the password of the harbour?'))
  if (begun.kind !== 'begun') throw new Error('replayed')
  for (let n = 0; n < 2; n++) {
    const context = await thread.context({ system: 'Be brief.' })
    expect(JSON.stringify(context.messages)).toContain(secret)
    await thread.saveCall(context, { model: 'm' })
  }
  await begun.turn.complete(assistant('I told you before.'))
  await thread.context()
  return thread
}

const linesOf = async (history: History) => {
  const lines: string[] = []
  for await (const line of history.exportAll()) lines.push(line)
  return lines.join('\n')
}

describe.each(await everyStore())('a message that is erased on %s', (_, create) => {
  it('leaves a mark, and no word of it', async () => {
    const store = create()
    const history = createHistory({ store, window: 2048, embed })
    const other = createHistory({ store, window: 2048 })
    const thread = await fill(history)
    const branch = await thread.fork({ at: 4, branch: 'other' })
    await other.thread('trip').context()
    await branch.context()
    expect(await linesOf(history)).toContain(secret)
    await thread.erase(3)
    for (const one of [thread, branch, other.thread('trip')]) {
      const [entry] = await one.entries({ at: 3, limit: 1 })
      expect(entry).toMatchObject({
        seq: 3,
        isErased: true,
        message: { role: 'user', content: '[message erased]' },
      })
      const context = await one.context({ next: user('What was the password of the harbour?') })
      expect(JSON.stringify(context.messages)).not.toContain('zanzibar')
    }
    expect((await thread.display())[2]).toMatchObject({
      seq: 3,
      content: '[message erased]',
      isErased: true,
    })
    expect(await history.search('zanzibar')).toEqual([])
    expect(await linesOf(history)).not.toContain('zanzibar')
    expect(await linesOf(history)).toContain('"erased":true')
    expect(await thread.calls()).toEqual([])
    expect(await history.check()).toEqual([])
    const copy = createHistory({ store: memoryStore() })
    await copy.import(history.export('trip'))
    expect((await copy.thread('trip').entries({ at: 3, limit: 1 }))[0]).toMatchObject({
      isErased: true,
    })
  })

  it('keeps a call and its results a pair', async () => {
    const thread = createHistory({ store: create(), window: 2048 }).thread('agent')
    const call = {
      id: 'a',
      type: 'function',
      function: { name: 'look', arguments: `{"at":"${secret}"}` },
    }
    await thread.seedTurns([
      user('Look.'),
      { role: 'assistant', content: secret, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'a', content: secret },
      assistant('Done.'),
    ])
    await thread.erase(2)
    await thread.erase(3)
    const { messages } = await thread.context()
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
    expect(JSON.stringify(messages)).not.toContain(secret)
    expect(messages[1]).toMatchObject({ tool_calls: [{ id: 'a', function: { name: 'look' } }] })
  })

  it('is refused while a turn is held, and where no message is', async () => {
    const thread = createHistory({ store: create() }).thread('agent')
    const begun = await thread.begin(user(secret))
    await expect(thread.erase(1)).rejects.toBeInstanceOf(LeaseError)
    if (begun.kind === 'begun') await begun.turn.complete(assistant('b'))
    for (const seq of [0, 3, Number.NaN])
      await expect(thread.erase(seq)).rejects.toThrow('place of a message')
    await thread.erase(1)
    await thread.erase(1)
    await expect(thread.erase(3)).rejects.toThrow('place of a message')
    expect((await thread.messages())[0]).toMatchObject({ content: '[message erased]' })
  })
})

it('leaves no byte of it in the files of SQLite, while these are open', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-erased-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const store = sqliteStore({ path: join(folder, 'log.db') })
  const history = createHistory({ store, window: 2048, embed })
  const thread = await fill(history)
  const filesWith = (text: string) =>
    readdirSync(folder).filter(file => readFileSync(join(folder, file)).includes(text))
  expect(filesWith(secret).length).toBeGreaterThan(0)
  await thread.erase(3)
  for (const word of [secret, 'zanzibar', 'quillfeather']) expect(filesWith(word)).toEqual([])
  expect(await history.check()).toEqual([])
  await history.close()
  expect(filesWith('zanzibar')).toEqual([])
})

it('leaves nothing of it in a document', async () => {
  const texts = new Map<string, string>()
  const store = documentStore<string>({
    load: async name =>
      texts.has(name) ? { text: texts.get(name)!, version: texts.get(name)! } : undefined,
    save: async (name, text, expected) => texts.get(name) === expected && !!texts.set(name, text),
    list: async prefix => [...texts.keys()].filter(name => name.startsWith(prefix)),
  })
  const thread = createHistory({ store }).thread('trip')
  await thread.seedTurns([user(secret), assistant('b')])
  await thread.erase(1)
  expect([...texts.values()].join()).not.toContain('zanzibar')
})

it.skipIf(whyNoPostgres())('leaves nothing of it in any table of PostgreSQL', async () => {
  const server = await startPostgres()
  onTestFinished(() => server.stop())
  const store = postgresStore({ url: server.url, schema: 'erased' })
  onTestFinished(() => store.close())
  const thread = await fill(createHistory({ store, window: 2048, embed }))
  const pool = openPool(server.url)
  onTestFinished(() => pool.end())
  async function tablesWith(word: string) {
    const tables = await pool.query(
      "select table_name from information_schema.tables where table_schema = 'erased'",
    )
    const found: string[] = []
    for (const { table_name: table } of tables.rows) {
      const { rows } = await pool.query(`select t::text as row from erased.${table} t`)
      // Bytes are told as hexadecimal digits.
      const hex = Buffer.from(word).toString('hex')
      if (rows.some(({ row }) => row.includes(word) || row.includes(hex))) found.push(table)
    }
    return found
  }
  expect(await tablesWith('zanzibar')).toContain('entries')
  await thread.erase(3)
  expect(await tablesWith('zanzibar')).toEqual([])
  expect(await store.check()).toEqual([])
})
