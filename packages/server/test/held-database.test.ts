import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { holdFile, killAll } from '@throughline/stores/fixtures'
import { sqliteStore } from '@throughline/stores/sqlite'
import { apiClient } from '@throughline/test-tools/api-client'
import { startServer } from '@throughline/test-tools/start-server'
import { afterAll, afterEach, expect, it, onTestFinished } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'throughline-held-database-'))
afterAll(() => rmSync(folder, { recursive: true }))
afterEach(killAll)
let files = 0

function openStore(busyMs?: number) {
  const path = join(folder, `${++files}.db`)
  const store = sqliteStore({ path, ...(busyMs !== undefined && { busyMs }) })
  onTestFinished(() => store.close())
  return { path, store }
}

it('answers a deletion with 202 while another process reads the file, and with what it is when that has ended', async () => {
  const { path, store } = openStore()
  const { url, history } = await startServer({ store })
  const names = ['one', 'two', 'three', 'four']
  for (const name of names)
    await history.thread(name).seedTurns([
      { role: 'user', content: `secret ${name}` },
      { role: 'assistant', content: 'It is kept.' },
    ])
  const api = apiClient(url)
  expect((await api.remove('/conversations/one')).status).toBe(204)
  const reader = await holdFile('read', path)
  const expected = {
    status: 202,
    message: expect.stringMatching(/^Gone from the log; the file is cleared when/),
  }
  const removed = async (path: string) => {
    const response = await api.request('DELETE', path)
    return { status: response.status, ...((await response.json()) as object) }
  }
  expect(await removed('/conversations/two/entries/1?dryRun=true')).toEqual({
    status: 200,
    erased: 1,
  })
  expect(await removed('/conversations/two/entries/1')).toEqual({ ...expected, erased: 1 })
  expect(await removed('/conversations/two')).toEqual(expected)
  expect((await api.request('POST', '/conversations/four/entries/1/pin')).status).toBe(200)
  expect((await api.request('DELETE', '/conversations/four/entries/1/pin')).status).toBe(200)
  await reader.kill()
  await expect.poll(() => store.residue!()).toBe(false)
  expect((await api.remove('/conversations/three')).status).toBe(204)
})
