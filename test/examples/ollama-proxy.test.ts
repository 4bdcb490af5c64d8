import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createAdaptorServer } from '@hono/node-server'
import { isLong } from '@throughline/test-tools/is-long'
import { type MessageLike, parseMessage } from 'throughline'
import { countWords } from 'throughline/models'
import { readerServer } from 'throughline/testing'
import { createCounter } from 'throughline/tokens'
import { expect, it, onTestFinished } from 'vitest'
import { ollamaCut } from '../../examples/ollama-proxy/ollama-cut.ts'
import { questions } from '../../examples/ollama-proxy/questions.ts'
import { jiti } from './start-example.ts'

const folder = join(import.meta.dirname, '../../examples/ollama-proxy')

async function run(...flags: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [jiti, join(folder, 'run.ts'), ...flags])
  onTestFinished(() => void child.kill())
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', chunk => {
      said += String(chunk)
    })
  const [code] = await once(child, 'exit')
  expect(code, said).toBe(0)
  return said
}

/** The last line of a side: how many answers it saw and gave, and the tokens. */
const figures = (said: string, side: string) =>
  new RegExp(`^${side} +(\\d+) of 15 +(\\d+) of 15 +(\\d+)$`, 'm').exec(said)!.slice(1).map(Number)

it('shows that Ollama drops what is asked for, and that Throughline finds it, for fewer tokens', async () => {
  const said = await run()
  const [ollama, throughline] = ['Ollama', 'Throughline'].map(side => figures(said, side))
  expect(said.match(/^ {3}(Ollama|Throughline) /gm)).toHaveLength(2 * questions.length)
  // The figures of the README.
  expect(ollama).toEqual([1, 1, 60666])
  expect(throughline).toEqual([12, 8, 40479])
})

if (!isLong) console.info('Skipped: the proxy before another server, only in the long run')

it.runIf(isLong)('works with any server that speaks like Ollama', async () => {
  const chats: unknown[] = []
  const fetch = readerServer({
    window: 2048,
    models: ['mine'],
    onRequest: (body, { path }) => path === '/api/chat' && chats.push(body),
  })
  const server = createAdaptorServer({ fetch, overrideGlobalObjects: false })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const said = await run('--upstream', `http://127.0.0.1:${port}`, '--window', '2048')
  expect(said).toContain('The window of mine:latest: 2048 tokens.')
  expect(said).toContain('with an estimate of tokens')
  expect(figures(said, 'Throughline')[0]).toBeGreaterThan(figures(said, 'Ollama')[0]!)
  expect(chats).toHaveLength(2 * questions.length)
})

const chat = JSON.parse(readFileSync(join(folder, '../project-chat.json'), 'utf8')) as MessageLike[]

it('cuts as Ollama does: the oldest go, system messages and the last message stay', () => {
  const framing = { name: 'words', message: 4, call: 0, result: 0, tool: 0, tools: 0, prompt: 0 }
  const count = createCounter({ id: 'words', exact: true, text: countWords, framing })
  const at = (seq: number) => chat[seq]!
  const { messages, tokens } = ollamaCut(chat, 4096, count)
  expect(tokens).toBeLessThan(4096)
  expect(messages[0]).toBe(at(0))
  const first = chat.indexOf(messages[1]!)
  expect(messages.slice(1)).toEqual(chat.slice(first))
  // One more would not have fitted.
  expect(tokens + count.message(parseMessage(at(first - 1), 0))).toBeGreaterThanOrEqual(4096)
  expect(ollamaCut(chat.slice(0, 3), 4096, count).messages).toEqual(chat.slice(0, 3))
  expect(ollamaCut([at(0), at(1)], 10, count).messages).toEqual([at(0), at(1)])
})

it('asks for what the conversation says', () => {
  for (const { said, words } of questions) expect(String(chat[said - 1]?.content)).toContain(words)
})
