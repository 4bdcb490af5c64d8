import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { watchDisk } from '@throughline/stores/fixtures'
import { sqliteStore } from '@throughline/stores/sqlite'
import { ollamaAnswer, type UpstreamAnswer } from '@throughline/test-tools/scripted-upstream'
import { expect, it, onTestFinished } from 'vitest'
import { startScripted } from './scripted-server.ts'

const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }]
const looks = ollamaAnswer([
  { content: 'I look.', tool_calls: [{ function: { name: 'look', arguments: {} } }] },
])

/** A server on an SQLite file, and how often its commits waited for the disk: in all, and when the model was last asked. */
async function start() {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-waits-'))
  const disk = watchDisk()
  let atAsking = 0
  const store = sqliteStore({ path: join(folder, 'log.db') })
  onTestFinished(async () => {
    await store.close()
    rmSync(folder, { recursive: true })
  })
  const script: UpstreamAnswer[] = []
  const { url, lines } = await startScripted(
    () => {
      atAsking = disk.begun
      return script.shift()!
    },
    { store },
  )
  /** Sends a list, and tells how often it waited before the model was asked, and after. */
  async function send(messages: readonly object[], answer: UpstreamAnswer) {
    script.push(answer)
    const before = disk.begun
    const body = JSON.stringify({ model: 'm', messages, tools })
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body })
    expect(response.status, await response.clone().text()).toBe(200)
    const { choices } = (await response.json()) as { choices: { message: object }[] }
    const [asking, reply] = [atAsking - before, disk.begun - atAsking]
    return { reply: choices[0]!.message, waited: { asking, reply } }
  }
  return { send, lines }
}

it('waits for the disk once before the model is asked, and once for its reply', async () => {
  const { send, lines } = await start()
  const answer = ollamaAnswer([{ content: 'It rains.' }])
  const once = { asking: 1, reply: 1 }
  const list: object[] = [{ role: 'user', content: 'What is the weather like at the harbour?' }]
  // The first of them also makes the file.
  await send([{ role: 'user', content: 'Good morning to you all, how do you do?' }], answer)
  const first = await send(list, looks)
  expect(first.waited).toEqual(once)
  const { tool_calls: calls } = first.reply as { tool_calls: { id: string }[] }
  list.push(first.reply, { role: 'tool', tool_call_id: calls[0]!.id, content: 'rain' })
  const second = await send(list, answer)
  expect(second.waited).toEqual(once)
  list.push(second.reply, { role: 'user', content: 'And tomorrow?' })
  expect((await send(list, answer)).waited).toEqual(once)
  expect(await lines()).toHaveLength(2)
})
