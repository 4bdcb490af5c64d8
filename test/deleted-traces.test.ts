import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHistory } from '@throughline/history'
import { sqliteStore } from '@throughline/stores/sqlite'
import type { Store } from '@throughline/stores/store'
import { findAll } from '@throughline/stores/testing'
import { apiClient } from '@throughline/test-tools/api-client'
import { everyStore } from '@throughline/test-tools/every-store'
import { fill, smallDisk, unmountAll, whyNoMounts } from '@throughline/test-tools/mounts'
import { cli } from '@throughline/test-tools/run-cli'
import { startServer } from '@throughline/test-tools/start-server'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'

afterEach(unmountAll)

/** What was said in the conversations that are deleted. No word of it alone says anything. */
const secret = 'buried under the third palm'

const title = {
  role: 'user',
  content: `### Task:\nGenerate a title.\n### Chat History:\nUSER: It is ${secret}.`,
}

async function post(url: string, path: string, body: object, headers: Record<string, string> = {}) {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'reader', ...body }),
  })
  const text = await response.text()
  expect([path, response.status, text]).toEqual([path, 200, expect.anything()])
  return decodeURIComponent(response.headers.get('x-throughline-conversation') ?? '')
}

for (const [name, create] of await everyStore())
  describe(`a conversation that is deleted on ${name}`, () => {
    it('takes the titles with it that were asked for beside it, and leaves those of other people', async () => {
      const store: Store = create()
      const { url } = await startServer({ store })
      const of = (person: string) => ({ 'x-throughline-person': person })
      const chat = '/v1/chat/completions'
      const first = await post(
        url,
        chat,
        { messages: [{ role: 'user', content: `It is ${secret}.` }] },
        of('ada'),
      )
      const side = await post(url, chat, { messages: [title] }, of('ada'))
      const other = await post(url, chat, { messages: [title] }, of('bob'))
      expect([side, other]).toEqual([
        expect.stringMatching(/^throughline:side:/),
        expect.stringMatching(/^throughline:side:/),
      ])
      await apiClient(url).remove(`/conversations/${encodeURIComponent(first)}`)
      expect(
        (await store.conversations('default')).map(({ conversation }) => conversation),
      ).toEqual([other])
      expect(await findAll(store, 'default', secret)).toHaveLength(1)
      expect(await store.check()).toEqual([])
    })
  })

it('no text of a conversation that was deleted can be reached in the memory of the server', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-heap-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const flags = [
    '--upstream',
    'reader',
    '--port',
    '0',
    '--db',
    join(folder, 'log.db'),
    '--person',
    'me',
  ]
  const serve = [
    '--heapsnapshot-signal=SIGUSR2',
    cli,
    'serve',
    '--remember',
    'person',
    '--window',
    '32768',
    ...flags,
  ]
  const child = spawn(process.execPath, serve, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', piece => {
    said += piece
  })
  const address = () => /listens at (\S+)/.exec(said)?.[1]
  await expect.poll(address, { timeout: 20_000 }).toBeDefined()
  const url = address()!

  const in_ = (conversation: string) => ({ 'x-throughline-conversation': conversation })
  const user = (text: string) => [{ role: 'user', content: text }]
  // Long enough that the server remembers the body.
  const long = `My treasure is ${secret}. ${'The sand is white. '.repeat(1200)}`
  await post(url, '/v1/chat/completions', { messages: user(long) }, in_('openai'))
  await post(
    url,
    '/v1/chat/completions',
    { messages: user('Where is my treasure?'), stream: true },
    in_('openai'),
  )
  await post(url, '/api/chat', { messages: user(`It is ${secret}.`) }, in_('ollama'))
  await post(
    url,
    '/v1/messages',
    { messages: user(`It is ${secret}.`), max_tokens: 99 },
    in_('anthropic'),
  )
  await post(url, '/v1/responses', { input: `It is ${secret}.` }, in_('responses'))
  const part = { type: 'text', text: `It is ${secret}.` }
  await post(url, '/throughline/v1/ui-chat', {
    id: 'ui',
    messages: [{ id: 'm', role: 'user', parts: [part] }],
  })
  const unnamed = await post(url, '/v1/chat/completions', { messages: user(`Unnamed: ${secret}.`) })
  await post(url, '/v1/chat/completions', { messages: [title] })
  const all = ['openai', 'ollama', 'anthropic', 'responses', 'ui', unnamed]
  const api = apiClient(url)
  for (const one of all)
    for (const page of ['', '/entries', '/context', '/timeline', '/export', '/calls', '/dump'])
      await api
        .request('GET', `/conversations/${encodeURIComponent(one)}${page}`)
        .then(answer => answer.text())
  await api.get('/search?q=treasure')

  /** How many strings in the heap have the secret. Node collects garbage before it writes a snapshot. */
  async function count(): Promise<number> {
    child.kill('SIGUSR2')
    const files = () => readdirSync(folder).filter(file => file.endsWith('.heapsnapshot'))
    const read = () =>
      files()
        .map(file => readFileSync(join(folder, file), 'utf8').trimEnd())
        .at(-1)
    await expect.poll(() => read()?.endsWith('}'), { timeout: 60_000 }).toBe(true)
    const text = read()!
    for (const file of files()) rmSync(join(folder, file))
    return text.split(secret).length - 1
  }
  expect(await count()).toBeGreaterThan(5)
  for (const one of all) await api.remove(`/conversations/${encodeURIComponent(one)}`)
  // What a request has just used may stand in a buffer until the next one.
  await api.get('/conversations')
  expect(await count()).toBe(0)
})

const reason = whyNoMounts()
if (reason) console.log(`Not tested: deleting on a full disk, because ${reason}.`)

it.skipIf(reason)('a full disk does not keep a conversation from being deleted', async () => {
  const disk = smallDisk('24m')
  const path = join(disk, 'log.db')
  const store = sqliteStore({ path, spareBytes: 4 * 1024 ** 2 })
  const history = createHistory({ store })
  const names = ['one', 'two', 'three']
  for (const name of names)
    for (let n = 0; n < 100; n++)
      await history
        .thread(name)
        .seed({ role: 'user', content: `${n}: It is ${secret}. ${'Sand. '.repeat(300)}` })
  fill(disk)
  const { url } = await startServer({ store })
  await expect(
    history.thread('four').seed({ role: 'user', content: 'x'.repeat(6_000_000) }),
  ).rejects.toMatchObject({
    code: 'store_full',
  })
  for (const name of names)
    expect((await apiClient(url).remove(`/conversations/${name}`)).status).toBe(204)
  expect(await store.conversations('default')).toEqual([])
  expect(await store.check()).toEqual([])
  await store.close()
  for (const file of readdirSync(disk))
    expect([file, readFileSync(join(disk, file)).includes(secret)]).toEqual([file, false])
})
