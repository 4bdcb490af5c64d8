import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sqliteStore } from '@throughline/stores/sqlite'
import { standInEmbedder } from '@throughline/test-tools/stand-in-embedder'
import { ask, fact, tell } from '@throughline/test-tools/tale'
import { expect, it, onTestFinished } from 'vitest'
import { createHistory } from '../../src/create-history.ts'

const dist = new URL('../../../../dist', import.meta.url).href

/** Prints a context of a file, with an embedder that is gone. */
const program = `
import { createHistory } from '${dist}/history/index.js'
import { sqliteStore } from '${dist}/stores/sqlite/sqlite-store.js'
const [path, at] = process.argv.slice(1)
const store = sqliteStore({ path, readOnly: true })
const embed = { model: 'stand-in', weight: 1, embed: () => Promise.reject(new Error('gone')) }
const history = createHistory({ store, window: 600, embed })
const { messages } = await history.thread('a').context({ at: Number(at) })
process.stdout.write(JSON.stringify(messages))
await store.close()
`

it('another process, which may only read and has no embedder, makes the same context', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-embed-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'a.db')
  const store = sqliteStore({ path })
  let clock = 1
  const history = createHistory({
    store,
    window: 600,
    now: () => clock++,
    embed: standInEmbedder(),
  })
  const thread = history.thread('a')
  await tell(thread, 0, 30)
  const turn = await ask(thread)
  const { messages } = await thread.context()
  await turn.complete({ role: 'assistant', content: 'Bertha.' })
  await tell(thread, 30, 32)
  await store.close()
  const args = ['--input-type=module', '-e', program, path, String(turn.next - 2)]
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  expect(stderr).toBe('')
  expect(stdout).toBe(JSON.stringify(messages))
  expect(stdout).toContain(fact)
})
