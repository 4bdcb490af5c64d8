import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { entry, exchange, long, open, texts } from '../testing/store-cases-help.ts'
import { sqliteStore } from './sqlite-store.ts'
import { holdFile, killAll } from './writer-process.fixture.ts'

const folder = mkdtempSync(join(tmpdir(), 'throughline-held-'))
afterAll(() => rmSync(folder, { recursive: true }))
afterEach(killAll)
let files = 0

const thread = { tenant: 'acme', conversation: 'lemonade', actor: 'assistant', branch: 'main' }
const other = { ...thread, conversation: 'sorbet' }
const busy = expect.objectContaining({ code: 'store_busy' })
const breathe = () => new Promise<void>(resolve => setImmediate(resolve))

async function openStore(busyMs?: number) {
  const path = join(folder, `${++files}.db`)
  const store = sqliteStore({ path, ...(busyMs !== undefined && { busyMs }) })
  const { lease } = await open(store, thread)
  return { path, store, lease }
}

it('lets the event loop go on while another process holds the file, and writes in order when it is free', async () => {
  const { path, store, lease } = await openStore(600_000)
  const holder = await holdFile('write', path)
  const ended: string[] = []
  const append = (text: string, expectedHead: number) =>
    store.append(thread, { lease, expectedHead, entries: [entry(text)] }).then(
      () => ended.push(text),
      () => ended.push(`${text} failed`),
    )
  const writes = [
    append('one', 1),
    append('two', 2),
    open(store, other).then(() => ended.push('other')),
    append('three', 3),
  ]
  for (let turn = 0; turn < 50; turn++) await breathe()
  expect(ended).toEqual([])
  expect(await texts(store, thread)).toHaveLength(1)
  expect(await store.conversations('acme')).toHaveLength(1)
  await holder.kill()
  await Promise.all(writes)
  expect(ended.filter(text => text !== 'other')).toEqual(['one', 'two', 'three'])
  expect(await texts(store, thread)).toEqual([
    ...(await texts(store, thread)).slice(0, 1),
    'one',
    'two',
    'three',
  ])
  expect(await store.check()).toEqual([])
  await store.close()
})

it('refuses a write that has waited for long enough, and stores nothing of it', async () => {
  const { path, store, lease } = await openStore(50)
  const holder = await holdFile('write', path)
  const appended = { lease, expectedHead: 1, entries: [entry('one')] }
  const outcomes = await Promise.allSettled([
    store.append(thread, appended),
    store.begin(other, { owner: 'ada', leaseMs: long, entries: [entry('hello')] }),
    store.deleteConversation('acme', thread.conversation),
  ])
  expect(outcomes).toMatchObject(outcomes.map(() => ({ status: 'rejected', reason: busy })))
  await holder.kill()
  expect(await store.head(other)).toBeUndefined()
  expect((await store.append(thread, appended)).head).toBe(2)
  await store.close()
})

it('closes at once, and refuses what still waits', async () => {
  const { path, store, lease } = await openStore(600_000)
  await holdFile('write', path)
  const write = store.append(thread, { lease, expectedHead: 1, entries: [entry('one')] })
  await breathe()
  const outcome = expect(write).rejects.toEqual(busy)
  await store.close()
  await outcome
})

describe('while another process reads the file', () => {
  const secret = 'zanzibar treasure'
  const mark = { payload: '{"erased":true}', tokens: {} }
  const filesWith = (path: string) => {
    const [, name] = path.match(/([^/]+)$/)!
    const names = readdirSync(folder).filter(file => file.startsWith(name!))
    return names.filter(file => readFileSync(join(folder, file)).includes(secret))
  }

  async function withSecret() {
    const { path, store } = await openStore()
    await exchange(store, other, secret, 'It is buried.')
    return { path, store, reader: await holdFile('read', path) }
  }

  it('erases and deletes at once, says what is left, and clears the files when it has ended', async () => {
    const { path, store, reader } = await withSecret()
    expect(store.residue!()).toBe(false)
    const erased = store.erase(other, 1, mark)
    expect(await erased).toBe(true)
    expect(store.residue!()).toBe(true)
    expect(filesWith(path)).not.toEqual([])
    expect(await store.deleteConversation('acme', other.conversation)).toBe(true)
    await exchange(store, { ...other, conversation: 'sherbet' }, 'goes on')
    await reader.kill()
    await expect.poll(() => store.residue!()).toBe(false)
    expect(filesWith(path)).toEqual([])
    expect(await store.check()).toEqual([])
    await store.close()
  })

  it('leaves the files to the process that opens them next, if it ends before', async () => {
    const { path, store, reader } = await withSecret()
    await store.erase(other, 1, mark)
    await store.close()
    expect(store.residue!()).toBe(true)
    expect(filesWith(path)).not.toEqual([])
    const next = sqliteStore({ path })
    expect(await next.head(other)).toMatchObject({ head: 2 })
    expect(next.residue!()).toBe(true)
    await reader.kill()
    await expect.poll(() => next.residue!()).toBe(false)
    expect(filesWith(path)).toEqual([])
    await next.close()
  })
})
