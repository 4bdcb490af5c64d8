import { apiClient } from '@throughline/test-tools/api-client'
import { openaiAnswer, startUpstream } from '@throughline/test-tools/scripted-upstream'
import { startServer } from '@throughline/test-tools/start-server'
import { expect, it, onTestFinished } from 'vitest'
import {
  anthropicUpstream,
  ollamaUpstream,
  openaiUpstream,
} from '../../src/upstream/model-servers.ts'

const tool = {
  type: 'function',
  function: {
    name: 'tide',
    description: 'Tells the tide.',
    parameters: { type: 'object', properties: {} },
  },
}

const upstreams = { openai: openaiUpstream, ollama: ollamaUpstream, anthropic: anthropicUpstream }

/** Asks once over a face and through an upstream; gives what the API says of the call, and what the upstream got. */
async function askOnce(kind: keyof typeof upstreams, path: string, body: object) {
  const model = await startUpstream(({ path: asked }) =>
    asked.endsWith('/chat/completions') ||
    asked.endsWith('/messages') ||
    asked.endsWith('/api/chat')
      ? openaiAnswer([{ content: 'High at nine.' }])
      : { status: 404, body: {} },
  )
  onTestFinished(() => model.close())
  const upstream = upstreams[kind]({ url: model.url, window: 8192 })
  const { url } = await startServer({ upstream })
  await (
    await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'x-throughline-conversation': 'harbour' },
      body: JSON.stringify(body),
    })
  ).text()
  const api = apiClient(url)
  const { calls } = (await api.get('/conversations/harbour/calls')).body
  const told = (await api.get(`/conversations/harbour/calls/${calls[0].id}`)).body
  const sent = model.requests.filter(({ text }) => text.includes('tide?'))
  return { told, sent: sent.at(-1)!.body as Record<string, unknown> }
}

const messages = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'When is the tide?' },
]
const chat = {
  model: 'm1',
  messages,
  stream: true,
  max_tokens: 77,
  tools: [tool],
  user: 'ada',
  top_p: 0.5,
}

it('tells the body that the upstream got: the client’s own, value for value', async () => {
  const { told, sent } = await askOnce('openai', '/v1/chat/completions', chat)
  expect(told.request).toEqual({ form: 'chat', isExact: true, body: sent })
  expect(told.request.body).toMatchObject({
    model: 'm1',
    max_tokens: 77,
    stream: true,
    tools: [tool],
  })
})

it.each([
  ['ollama', 'ollama'],
  ['anthropic', 'messages'],
] as const)('tells the body that was converted for %s', async (kind, form) => {
  const { told, sent } = await askOnce(kind, '/v1/chat/completions', chat)
  const { isExact, body, form: toldForm } = told.request
  expect(toldForm).toBe(form)
  // All fields in their order; what stands in them is the same, or it is said that it is not.
  expect(Object.keys(body)).toEqual(Object.keys(sent))
  expect(isExact).toBe(JSON.stringify(body) === JSON.stringify(sent))
  expect(body).toMatchObject({ model: 'm1', tools: sent.tools, stream: sent.stream })
})

it('says that a body of other parts is not what was sent, and keeps no long value', async () => {
  const parts = [
    { type: 'text', text: 'When is ' },
    { type: 'text', text: 'the tide?' },
  ]
  const body = {
    ...chat,
    messages: [{ role: 'user', content: parts }],
    metadata: { note: 'x'.repeat(900) },
  }
  const { told } = await askOnce('openai', '/v1/chat/completions', body)
  expect(told.request).toMatchObject({
    isExact: false,
    body: { model: 'm1', max_tokens: 77, metadata: '… 911 characters, which are not kept' },
  })
})
