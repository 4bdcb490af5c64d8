import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createHistory } from '../../src/history/index.ts'
import { sqliteStore } from '../../src/stores/sqlite/sqlite-store.ts'

const main = join(import.meta.dirname, '../../dist/cli/main.js')

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-serve-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Runs `throughline serve` until it listens. Nothing answers at the address where it looks for Ollama. */
async function serve(cwd: string, ...flags: readonly string[]) {
  const env = { ...process.env, OLLAMA_HOST: 'http://127.0.0.1:9' }
  const child: ChildProcess = spawn(process.execPath, [main, 'serve', '--port', '0', ...flags], { cwd, env })
  const said = { out: '', err: '' }
  child.stdout!.on('data', chunk => {
    said.out += String(chunk)
  })
  child.stderr!.on('data', chunk => {
    said.err += String(chunk)
  })
  const ended = once(child, 'exit') as Promise<[number | null]>
  onTestFinished(() => void child.kill('SIGKILL'))
  await Promise.race([
    expect.poll(() => said.err, { timeout: 20_000 }).toContain('ANTHROPIC_BASE_URL'),
    ended,
  ])
  const url = /listens at (\S+)/.exec(said.err)?.[1] ?? ''
  return { child, said, url, ended }
}

const ask = (url: string, content: string, more: object = {}) =>
  fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: 'reader', messages: [{ role: 'user', content }], ...more }),
  })

it('starts with the built-in reader where nothing else is found, says so, and keeps what was said', async () => {
  const folder = newFolder()
  const { child, said, url, ended } = await serve(folder)
  expect(said.err).toContain('built-in reader')
  expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ status: 'ok', upstream: 'reader' })
  const secret = 'The boat is called Seagull.'
  const response = await ask(url, secret)
  const conversation = response.headers.get('x-throughline-conversation')!
  child.kill('SIGTERM')
  expect((await ended)[0]).toBe(0)
  const lines = said.out
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Record<string, unknown>)
  expect(lines.map(({ msg }) => msg)).toEqual(['listening', 'request', 'stopped'])
  expect(lines[1]).toMatchObject({ face: 'openai', model: 'reader', conversation, status: 'completed' })
  expect(said.out).not.toContain('Seagull')
  const store = sqliteStore({ path: join(folder, 'throughline.db'), readOnly: true })
  const messages = await createHistory({ store }).thread(conversation).messages()
  await store.close()
  expect(messages[0]).toMatchObject({ role: 'user', content: secret })
})

it('lets a reply come to its end when it is stopped', async () => {
  const { child, url, ended } = await serve(newFolder())
  const response = await ask(url, `Tell me ${'a long story '.repeat(200)}.`, { stream: true })
  child.kill('SIGTERM')
  expect(await response.text()).toContain('[DONE]')
  expect((await ended)[0]).toBe(0)
})

it.each([
  [['--port', 'many'], '--port must be a whole number'],
  [['--host', '0.0.0.0'], 'lets other machines in'],
  [['--upstream', 'http://127.0.0.1:9'], 'Nothing answers at http://127.0.0.1:9'],
  [['--config', 'no-such-file.json'], 'cannot be read (ENOENT)'],
])('refuses %j in one line', async (flags, words) => {
  const { said, ended } = await serve(newFolder(), ...flags)
  expect((await ended)[0]).toBe(2)
  expect(said.err.trim().split('\n')).toHaveLength(1)
  expect(said.err).toContain(words)
})
