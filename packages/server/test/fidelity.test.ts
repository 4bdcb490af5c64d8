import { upstreamWith } from '@throughline/models/fixtures'
import {
  ollamaAnswer,
  openaiAnswer,
  sse,
  type UpstreamAnswer,
} from '@throughline/test-tools/scripted-upstream'
import { startServer } from '@throughline/test-tools/start-server'
import { expect, it } from 'vitest'
import { ollamaUpstream } from '../src/upstream/model-servers.ts'

const odd = {
  created_at: '2026-08-22T10:00:00.123456789Z',
  'odd field': [1.0, 'é\u2028', { deep: null }],
}

/** Answers as servers give them, with odd fields, spaces and statuses, by the route that was asked. */
const recorded: readonly (readonly [string, string, UpstreamAnswer])[] = [
  [
    'a stream of Ollama',
    '/api/chat',
    ollamaAnswer([
      { content: 'a', ...odd },
      { thinking: 'b' },
      { tool_calls: [{ function: { name: 'f', arguments: {} } }] },
    ]),
  ],
  [
    'a body of Ollama',
    '/api/chat',
    {
      status: 200,
      body: '{ "model" : "m",\n "message":{"role":"assistant","content":"é"}, "done":true }\n',
    },
  ],
  [
    'a stream of OpenAI',
    '/v1/chat/completions',
    openaiAnswer([
      { role: 'assistant', content: '' },
      { content: 'a', ...odd },
    ]),
  ],
  [
    'a comment in a stream',
    '/v1/chat/completions',
    {
      chunks: [': hello\n\n', sse({ choices: [] }), 'data: [DONE]\n\n'],
      headers: { 'content-type': 'text/event-stream' },
    },
  ],
  [
    'events of Anthropic',
    '/v1/messages',
    {
      chunks: [
        'event: message_start\ndata: {"type":"message_start"}\n\n',
        'event: ping\ndata: {"type": "ping"}\n\n',
      ],
      headers: { 'content-type': 'text/event-stream' },
    },
  ],
  [
    'events of Responses',
    '/v1/responses',
    {
      chunks: ['event: response.created\ndata: {"sequence_number":0}\n\n'],
      headers: { 'content-type': 'text/event-stream' },
    },
  ],
  [
    'an error',
    '/v1/chat/completions',
    { status: 429, headers: { 'retry-after': '7' }, body: '{"error":{"message":"slow down"}}' },
  ],
  ['a failure', '/api/chat', { status: 500, body: { error: 'runner has crashed' } }],
  [
    'embeddings',
    '/api/embed',
    { status: 200, body: '{"embeddings":[[0.10000000149011612,-1e-07]]}' },
  ],
  ['a completion', '/api/generate', ollamaAnswer([{ content: 'x' }])],
]

it.each(recorded)('with memory switched off %s passes byte for byte', async (_, path, answer) => {
  const scripted = await upstreamWith(() => answer)
  const { url, history } = await startServer({
    upstream: ollamaUpstream({ url: scripted.url }),
    memory: false,
  })
  const body = `{"model": "m",  "messages":[{"role":"user","content":"é \\u00e9"}], "odd": 1.0}`
  const [direct, through] = await Promise.all(
    [scripted.url, url].map(async base => {
      const response = await fetch(`${base}${path}?beta=true`, { method: 'POST', body })
      const { status, headers } = response
      const kept = ['content-type', 'retry-after'].map(name => headers.get(name))
      return { status, kept, bytes: Buffer.from(await response.arrayBuffer()).toString('hex') }
    }),
  )
  expect(through).toEqual(direct)
  const [one, other] = scripted.requests
  expect(other!.path).toBe(`${path}?beta=true`)
  expect(other!.body).toEqual(one!.body)
  expect(await history.conversations()).toEqual([])
})
