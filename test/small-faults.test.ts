import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { createHistory } from '@throughline/history'
import { loadDriver, sqliteStore } from '@throughline/stores/sqlite'
import { apiClient } from '@throughline/test-tools/api-client'
import { runCli } from '@throughline/test-tools/run-cli'
import { startServer } from '@throughline/test-tools/start-server'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'throughline-small-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the command line', () => {
  it('says of a folder that it is one', async () => {
    for (const command of [
      ['log', 'list'],
      ['log', 'check', '--rebuild'],
      ['forget', '--all'],
    ]) {
      const { status, stderr } = await runCli([...command, '--db', folder])
      expect([status, stderr]).toEqual([
        2,
        expect.stringContaining('is a folder: give the path of a file'),
      ])
    }
  })

  it('says of a file that is in use what can be done at the command line', async () => {
    const path = join(folder, 'held.db')
    const store = sqliteStore({ path })
    await store.migrate()
    for (const command of [
      ['import', '-'],
      ['check', '--rebuild'],
      ['migrate'],
      ['retain', '--calls', '1'],
    ]) {
      const { stderr } = await runCli(['log', ...command, '--db', path])
      expect(stderr).toContain('is open for writing in this process')
      expect(stderr).toContain('--server <url>')
      expect(stderr).not.toContain('readOnly')
    }
    await store.close()
  })

  it('shows the calls of a thread', async () => {
    const path = join(folder, 'calls.db')
    const history = createHistory({ store: sqliteStore({ path }) })
    const call = {
      id: 'c',
      type: 'function',
      function: { name: 'weather', arguments: '{"city":"Rome"}' },
    }
    await history
      .thread('trip')
      .seed(
        { role: 'user', content: 'How is it?' },
        { role: 'assistant', content: '', tool_calls: [call] },
        { role: 'tool', tool_call_id: 'c', name: 'weather', content: 'sunny' },
      )
    await history.close()
    const { stdout } = await runCli(['log', 'show', 'trip', '--db', path])
    expect(stdout).toBe(
      'user: How is it?\nassistant: → weather({"city":"Rome"})\ntool weather: sunny\n',
    )
  })

  it('exports all that can be read, and says what cannot', async () => {
    const path = join(folder, 'bad.db')
    const history = createHistory({ store: sqliteStore({ path }) })
    for (const name of ['a', 'bad', 'c'])
      await history.thread(name).seed({ role: 'user', content: `In ${name}.` })
    await history.close()
    const database = new (loadDriver())(path)
    database.exec(
      `DROP TRIGGER entries_never_change; UPDATE entries SET payload = replace(payload, 'In bad', 'In mad')`,
    )
    database.close()
    const out = join(folder, 'all.jsonl')
    const { status, stderr } = await runCli(['log', 'export', '--db', path, '--out', out])
    expect([status, stderr]).toEqual([2, expect.stringContaining('1 conversation cannot be read')])
    expect(stderr).toContain('"bad"')
    const copy = await runCli(['log', 'import', out, '--db', join(folder, 'good.db')])
    expect(copy.stdout).toContain('2 conversations')
    expect(readFileSync(out, 'utf8')).not.toContain('mad')
    expect((await runCli(['log', 'export', '--db', path])).stdout).toBe(readFileSync(out, 'utf8'))
  })
})

describe('the API', () => {
  it('refuses a parameter that is given twice', async () => {
    const { url, history } = await startServer()
    for (const person of ['a', 'b']) {
      await history.thread(person).seed({ role: 'user', content: 'Hello.' })
      await history.describe(person, { person })
    }
    const { status, body } = await apiClient(url).remove('/conversations?person=a&person=b')
    expect([status, body.error.field]).toEqual([400, 'person'])
    expect(await history.conversations()).toHaveLength(2)
  })

  it('imports a packed file, and refuses one that is packed otherwise than it says', async () => {
    const { url, history } = await startServer()
    const packers = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync }
    const send = (encoding: string, body: Uint8Array) =>
      fetch(`${url}/throughline/v1/import`, {
        method: 'POST',
        headers: { 'content-encoding': encoding },
        body: new Uint8Array(body),
      })
    for (const [encoding, pack] of Object.entries(packers)) {
      const text = JSON.stringify({ id: encoding, messages: [{ role: 'user', content: 'Hello.' }] })
      expect((await send(encoding, pack(text))).status).toBe(200)
    }
    expect(await history.conversations()).toHaveLength(3)
    expect((await send('gzip', Buffer.from('{}'))).status).toBe(400)
    expect((await send('odd', Buffer.from('{}'))).status).toBe(415)
    // What unpacks to more than may be sent is refused before it is on the disk.
    const small = await startServer({ maxBodyBytes: 1024 })
    const bomb = gzipSync(' '.repeat(100_000))
    const headers = { 'content-encoding': 'gzip' }
    const refused = await fetch(`${small.url}/throughline/v1/import`, {
      method: 'POST',
      headers,
      body: new Uint8Array(bomb),
    })
    expect(refused.status).toBe(413)
  })

  it('takes no day for another that its month does not have', async () => {
    const { history } = await startServer()
    const chat = (day: string) =>
      JSON.stringify([
        {
          uuid: day,
          name: day,
          chat_messages: [{ uuid: '1', sender: 'human', text: 'Hello.', created_at: day }],
        },
      ])
    for (const day of ['2024-02-31T10:00:00Z', '2023-02-29', '2024-04-31T00:00:00+02:00'])
      await expect(history.import(chat(day))).rejects.toThrow('no time that can be read')
    expect((await history.import(chat('2024-02-29T10:00:00Z'))).added).toBe(1)
  })
})

it('a result whose call carried a note is shown with its place', async () => {
  const { history } = await startServer()
  const note = JSON.stringify({ city: 'Rome', why: '[NOTE TO SELF: she likes the sea]' })
  const call = { id: 'c', type: 'function', function: { name: 'weather', arguments: note } }
  const thread = history.thread('trip')
  await thread.seed(
    { role: 'user', content: 'How is it?' },
    { role: 'assistant', content: '', tool_calls: [call] },
    { role: 'tool', tool_call_id: 'c', content: 'sunny' },
  )
  expect((await thread.display()).map(({ seq }) => seq)).toEqual([1, 2, 3])
})

describe('an example', () => {
  const run = (...args: readonly string[]) =>
    spawnSync(process.execPath, [join(import.meta.dirname, '../examples/run.mjs'), ...args], {
      encoding: 'utf8',
    })

  it('explains its flags instead of failing', () => {
    for (const flag of ['--help', '-h']) {
      const { status, stdout, stderr } = run('lamp', flag)
      expect([status, stderr]).toEqual([0, ''])
      expect(stdout).toContain('--port 4172')
    }
  })

  it('says in a line that a flag is unknown or a port is taken', async () => {
    const { status, stderr } = run('lamp', '--prot', '1')
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/^example: Unknown option '--prot'.*--help lists the flags\n$/),
    ])
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const { port } = server.address() as { port: number }
    expect(run('lamp', '--port', `${port}`).stderr).toBe(
      `example: port ${port} is in use: choose another with --port\n`,
    )
  })
})
