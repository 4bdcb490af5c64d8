import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createHistory } from '@throughline/history'
import { rules } from '@throughline/models/reader'
import { findProgram } from '@throughline/test-tools/find-program'
import { skipReason } from '@throughline/test-tools/needs'
import { startServer } from '@throughline/test-tools/start-server'
import { describe, expect, it } from 'vitest'
import { readerUpstream } from '../src/upstream/reader-upstream.ts'

const messages = [{ role: 'user', content: 'My boat is called Heron.' }]
const adapters = [
  ['/v1/chat/completions', { messages }],
  ['/v1/messages', { messages, max_tokens: 100 }],
  ['/v1/responses', { input: messages }],
  ['/api/chat', { messages }],
] as const

const names = ['tokens', 'window', 'kept', 'recalled', 'left-out', 'read']
const figuresOf = ({ headers }: Response) =>
  Object.fromEntries(
    names.map(name => [name, Number(headers.get(`x-throughline-${name}`) ?? Number.NaN)]),
  )

async function start() {
  const { url, history } = await startServer({ upstream: readerUpstream(), window: 1024 })
  const ask = (path: string, body: object) =>
    fetch(`${url}/c/trip${path}`, {
      method: 'POST',
      body: JSON.stringify({ model: 'reader', ...body }),
    })
  return { ask, history }
}

describe.each(adapters)('a client of %s', (path, body) => {
  it.each([true, false])(
    'is told in headers what the model was sent, with stream: %s',
    async stream => {
      const { ask, history } = await start()
      const response = await ask(path, { ...body, stream })
      const figures = figuresOf(response)
      await response.text()
      const [call] = await history.thread('trip').calls()
      expect(figures).toEqual({
        ...{ tokens: call!.predicted, window: 1024, read: call!.predicted },
        ...{ kept: 1, recalled: 0, 'left-out': 0 },
      })
    },
  )
})

it('counts what was quoted of other conversations as recalled, also where the reply had repeated it', async () => {
  const upstream = {
    ...readerUpstream(),
    model: () => rules(({ messages: asked }) => `Noted: ${asked.at(-1)!.content}`),
  }
  const { url, store } = await startServer({
    upstream,
    window: 4096,
    remember: 'person',
    person: 'ada',
  })
  const ask = async (conversation: string, content: string) => {
    const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content }] })
    const response = await fetch(`${url}/c/${conversation}/v1/chat/completions`, {
      method: 'POST',
      body,
    })
    expect(response.status).toBe(200)
    return figuresOf(response)
  }
  await ask('garden', 'The seeds are in the blue tin.')
  expect(await ask('later', 'Where did I put the seeds?')).toMatchObject({
    kept: 1,
    recalled: 2,
    'left-out': 0,
  })
  const history = createHistory({ store, person: 'ada' })
  const [call] = await history.thread('later').calls()
  const sent = await history.thread('later').replay(call!)
  expect(JSON.stringify(sent)).toContain('The seeds are in the blue tin.')
})

it('counts what was left out, and what need not be read again', async () => {
  const { ask, history } = await start()
  for (let n = 0; n < 30; n++)
    await history.thread('trip').seedTurns([
      { role: 'user', content: `Note ${n}: ${'the mast, the sail and the rope. '.repeat(4)}` },
      { role: 'assistant', content: 'Noted.' },
    ])
  const first = figuresOf(await ask('/v1/chat/completions', { messages }))
  expect(first['left-out']).toBeGreaterThan(20)
  expect(first.kept! + first.recalled! + first['left-out']!).toBe(61)
  const more = [{ role: 'user', content: 'And it leaks.' }]
  const second = figuresOf(await ask('/v1/chat/completions', { messages: more }))
  expect(second.read).toBeLessThan(second.tokens!)
})

const python = findProgram('python3')
const noPython = skipReason('The filter for Open WebUI', python ? undefined : 'there is no Python')

it.skipIf(noPython)('has a filter for Open WebUI that Python reads', () => {
  const file = new URL('../../../examples/open-webui/throughline_filter.py', import.meta.url)
  const parsed = spawnSync(python!, ['-c', 'import ast, sys; ast.parse(sys.stdin.read())'], {
    input: readFileSync(file),
  })
  expect(parsed.stderr.toString()).toBe('')
})
