import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHistory } from '@throughline/history'
import { sqliteStore } from '@throughline/stores/sqlite'
import { apiClient } from '@throughline/test-tools/api-client'
import { fill, smallDisk, unmountAll, whyNoMounts } from '@throughline/test-tools/mounts'
import { cli, runCli } from '@throughline/test-tools/run-cli'
import { startServer } from '@throughline/test-tools/start-server'
import { afterAll, afterEach, describe, expect, it } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'throughline-import-'))
afterEach(unmountAll)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const total = 16

/** Chats of another program: each has more than is written in one step. */
const chats = Array.from({ length: total }, (_, chat) => ({
  uuid: `chat-${chat}`,
  name: `Chat ${chat}`,
  chat_messages: Array.from({ length: 300 }, (_, n) => ({
    uuid: `${chat}-${n}`,
    sender: n % 2 === 0 ? 'human' : 'assistant',
    text: `Message ${n} of chat ${chat} is about boats.`,
    created_at: new Date(Date.UTC(2024, 2, 1) + n * 1000).toISOString(),
  })),
}))
const file = join(folder, 'conversations.json')
writeFileSync(file, JSON.stringify(chats))

async function exported(path: string): Promise<readonly string[]> {
  const history = createHistory({ store: sqliteStore({ path }) })
  const lines: string[] = []
  for await (const line of history.exportAll()) lines.push(line)
  expect(await history.check()).toEqual([])
  await history.close()
  return lines
}

async function countStored(path: string): Promise<number> {
  const store = sqliteStore({ path, readOnly: true })
  const { length } = await store.conversations('default').catch(() => [])
  await store.close()
  return length
}

/** What a whole import leaves. */
async function wholeImport(): Promise<readonly string[]> {
  const path = join(folder, 'whole.db')
  const { stdout } = await runCli(['log', 'import', file, '--db', path])
  expect(stdout).toContain(`${total} conversations, entries: ${total * 300} (new: ${total * 300})`)
  return exported(path)
}

const reason = whyNoMounts()
if (reason) console.log(`Not tested: imports onto a full disk, because ${reason}.`)

describe('an import that is stopped in the middle', () => {
  it('by kill -9 goes on from there when it is repeated, and leaves the same as one that was not', async () => {
    const path = join(folder, 'killed.db')
    const child = spawn(process.execPath, [cli, 'log', 'import', file, '--db', path], {
      stdio: 'ignore',
    })
    const ended = once(child, 'exit')
    await expect
      .poll(() => (existsSync(path) ? countStored(path) : 0), { interval: 5 })
      .toBeGreaterThan(1)
    child.kill('SIGKILL')
    await ended
    const before = await countStored(path)
    expect([before > 1, before < total]).toEqual([true, true])
    const { stdout } = await runCli(['log', 'import', file, '--db', path])
    const [, added] = /\(new: (\d+)\)/.exec(stdout) ?? []
    expect(Number(added)).toBeGreaterThan(0)
    expect(Number(added)).toBeLessThan(total * 300)
    expect(await exported(path)).toEqual(await wholeImport())
  })

  it.skipIf(reason)('by a full disk says how far it came, and goes on from there', async () => {
    const path = join(smallDisk('2m'), 'log.db')
    const { status, stderr } = await runCli(['log', 'import', file, '--db', path])
    expect(status).toBe(2)
    const [, stored] =
      new RegExp(`conversations.json: The import stopped after (\\d+) of ${total} `).exec(stderr) ??
      []
    expect(stderr).not.toContain('nothing was stored')
    const part = stderr.includes('which are stored, and a part of the next one: import') ? 1 : 0
    expect(await countStored(path)).toBe(Number(stored) + part)
    expect(Number(stored)).toBeGreaterThan(0)
  })

  it.skipIf(reason)('over HTTP is told so, and goes on once there is room', async () => {
    const disk = smallDisk('16m')
    const path = join(disk, 'log.db')
    const store = sqliteStore({ path })
    await store.migrate()
    const makeRoom = fill(disk)
    const { url } = await startServer({ store })
    const send = () => apiClient(url).post('/import', JSON.stringify(chats.slice(0, 3)))
    const { status, body } = await send()
    expect([status, body.error.code]).toEqual([507, 'store_full'])
    expect(body.error.message).toMatch(
      /^The import stopped after \d of 3 conversations, which are stored/,
    )
    expect(body.error.message).not.toContain(disk)
    makeRoom()
    expect((await send()).body.conversations).toHaveLength(3)
    expect(await store.check()).toEqual([])
    await store.close()
  })

  it('is none: an empty file is refused', async () => {
    const empty = join(folder, 'empty.json')
    for (const text of ['', ' \n', '\uFEFF']) {
      writeFileSync(empty, text)
      const { status, stderr } = await runCli([
        'log',
        'import',
        empty,
        '--db',
        join(folder, 'empty.db'),
      ])
      expect([status, stderr]).toEqual([2, expect.stringContaining('it is empty')])
    }
  })
})
