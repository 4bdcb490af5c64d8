import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cli, runCli } from '@throughline/test-tools/run-cli'
import { expect, it, onTestFinished } from 'vitest'

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-cli-keys-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const runIn = (cwd: string, env: Record<string, string> = {}) =>
  async function keys(...args: readonly string[]) {
    const { status, stdout, stderr } = await runCli(['keys', ...args], { cwd, env })
    return { status, lines: stdout.split('\n').filter(line => line !== ''), stderr }
  }

async function serve(cwd: string, ...flags: readonly string[]) {
  const env = { ...process.env, OLLAMA_HOST: 'http://127.0.0.1:9' }
  const child: ChildProcess = spawn(process.execPath, [cli, 'serve', '--port', '0', ...flags], {
    cwd,
    env,
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let said = ''
  child.stderr!.on('data', chunk => {
    said += String(chunk)
  })
  await expect.poll(() => said).toContain('ANTHROPIC_BASE_URL')
  const stop = async () => {
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  return { url: /listens at (\S+)/.exec(said)![1]!, stop }
}

const ask = async (url: string, key: string) => {
  const body = JSON.stringify({ model: 'reader', messages: [{ role: 'user', content: 'hello' }] })
  const headers = { authorization: `Bearer ${key}` }
  return (await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body })).status
}

it('makes keys in a file that no server has opened yet, lists and revokes them', async () => {
  const folder = newFolder()
  const keys = runIn(folder)
  const made = await keys('create', 'Ada', '--scopes', 'read,chat', '--tenant', 'red')
  expect(made).toMatchObject({ status: 0, stderr: '' })
  const spoken = await keys('create', 'tablet', '--person', 'ada')
  expect((await keys('list')).lines).toEqual([made.lines[0], spoken.lines[0]])
  expect(spoken.lines[0]).toMatch(/ {2}default {2}chat {2}@ada {2}tablet$/)
  await keys('revoke', spoken.lines[1]!.slice(3, 15))
  const [record = '', key = ''] = made.lines
  expect(key).toMatch(/^tl_[0-9a-f]{12}_[\w-]{43}$/)
  const id = key.slice(3, 15)
  expect(record).toMatch(new RegExp(`^${id}  \\S+Z  red  chat,read  Ada$`))
  expect((await keys('list')).lines).toEqual([record])
  for (const name of readdirSync(folder))
    expect(readFileSync(join(folder, name), 'latin1')).not.toContain(key.slice(16))
  expect(await keys('revoke', id)).toMatchObject({ status: 0, lines: [`revoked ${id}`] })
  expect((await keys('list')).lines).toEqual([])
  expect(await keys('revoke', id)).toMatchObject({
    status: 2,
    stderr: `throughline: there is no key "${id}"; "throughline keys list" lists them\n`,
  })
  expect(await keys('create', 'x', '--scopes', 'root')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('chat, read, inspect, admin, metrics'),
  })
  expect(await keys('create', 'x', '--tenant', '~keys')).toMatchObject({ status: 2 })
  expect(await keys('create', 'x', '--store', 'postgres://box/d')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("unknown option '--store'"),
  })
})

it('has no keys where there is no file, and makes none by listing', async () => {
  const folder = newFolder()
  expect(await runIn(folder)('list')).toMatchObject({
    status: 2,
    stderr: 'throughline: there is no database throughline.db: say where it is with --db\n',
  })
  expect(readdirSync(folder)).toEqual([])
})

it('asks the server that holds the file', async () => {
  const folder = newFolder()
  const admin = (await runIn(folder)('create', 'me', '--scopes', 'admin,chat')).lines[1]!
  const server = await serve(folder, '--require-keys', 'true')
  const refused = await runIn(folder)('create', 'Ada')
  expect(refused.status).toBe(2)
  expect(refused.stderr).toContain('--server')
  expect((await runIn(folder)('list')).lines).toHaveLength(1)

  const keys = runIn(folder, { THROUGHLINE_KEY: admin })
  const [record = '', key = ''] = (await keys('create', 'Ada', '--server', server.url)).lines
  expect(await ask(server.url, key)).toBe(200)
  expect(await keys('create', 'Eve', '--scopes', 'inspect', '--server', server.url)).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('no scope "inspect"'),
  })
  expect((await keys('list', '--server', server.url)).lines).toContain(record)
  const wrong = await runIn(folder)('list', '--server', server.url, '--key', key)
  expect(wrong).toMatchObject({ status: 2, stderr: expect.stringContaining('"admin"') })
  const id = key.slice(3, 15)
  expect((await keys('revoke', id, '--server', server.url)).lines).toEqual([`revoked ${id}`])
  await expect.poll(() => ask(server.url, key)).toBe(401)
  expect((await keys('revoke', id, '--server', server.url)).status).toBe(2)
  await server.stop()
  expect(await keys('list', '--server', server.url)).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('cannot reach'),
  })
})

it('makes keys of the tenant of the key that asks, or of the one that is named', async () => {
  const folder = newFolder()
  const red = (await runIn(folder)('create', 'me', '--scopes', 'admin,chat', '--tenant', 'red'))
    .lines[1]!
  const operator = 'a-key-of-the-configuration'
  const { url, stop } = await serve(folder, '--api-keys', operator)
  const create = (key: string, ...more: readonly string[]) =>
    runIn(folder)('create', 'Ada', '--server', url, '--key', key, ...more)
  expect((await create(red)).lines[0]).toContain('  red  chat  Ada')
  expect(await create(red, '--tenant', 'blue')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('own tenant'),
  })
  expect((await create(operator)).lines[0]).toContain('  default  chat  Ada')
  expect((await create(operator, '--tenant', 'blue')).lines[0]).toContain('  blue  chat  Ada')
  await stop()
})
