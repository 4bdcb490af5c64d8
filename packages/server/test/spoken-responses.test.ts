import {
  openaiAnswer,
  startUpstream,
  type UpstreamAnswer,
} from '@throughline/test-tools/scripted-upstream'
import { startServer } from '@throughline/test-tools/start-server'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openaiUpstream, type ResponsesWay } from '../src/upstream/model-servers.ts'

const responses = '/v1/responses'
const chat = '/v1/chat/completions'

const output = [
  {
    type: 'message',
    role: 'assistant',
    content: [{ type: 'output_text', text: 'Yes.', annotations: [] }],
  },
]
const reply = { id: 'resp_1', object: 'response', status: 'completed', model: 'm', output }

const refusal: UpstreamAnswer = {
  status: 400,
  body: { error: { message: "'type' of tool must be 'function'" } },
}

/** A model server behind ours, which refuses tools that are no plain functions, as llama.cpp does. `toNothing`: its answers to an empty request for a response, one after another. */
async function serve(toNothing: readonly UpstreamAnswer[], way?: ResponsesWay) {
  let asked = 0
  const upstream = await startUpstream(({ path, text }): UpstreamAnswer => {
    if (path === '/v1/models') return { status: 200, body: { object: 'list', data: [{ id: 'm' }] } }
    if (path === chat) return openaiAnswer([{ content: 'Yes.' }])
    if (path !== responses) return { status: 404, body: { error: 'no such path' } }
    if (text.includes('"custom"')) return refusal
    if (text.includes('"temperature":9'))
      return { status: 400, body: { error: { message: 'too warm' } } }
    if (text !== '{}') return { status: 200, body: reply }
    asked += 1
    return toNothing[Math.min(asked, toNothing.length) - 1]!
  })
  onTestFinished(upstream.close)
  const { url, history } = await startServer({
    upstream: openaiUpstream({
      url: upstream.url,
      window: 8192,
      ...(way !== undefined && { responses: way }),
    }),
  })
  const post = async (path: string, fields: object) => {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', ...fields }),
    })
    const text = await response.text()
    const body = text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {}
    return { status: response.status, text, body }
  }
  return {
    post,
    history,
    ask: async (input: string) => (await post(responses, { input, an_unknown_field: 1 })).status,
    /** The addresses that were asked for replies. `?` is the question whether there are responses. */
    paths: () =>
      upstream.requests
        .filter(({ path }) => path === responses || path === chat)
        .map(({ path, text }) => (text === '{}' ? '?' : path)),
  }
}

const says = (status: number): UpstreamAnswer => ({
  status,
  body: { error: { message: 'model is required' } },
})

it.each([400, 422])(
  'sends responses on as they came where the server misses their model: %s',
  async status => {
    const { ask, paths } = await serve([says(status)])
    expect([await ask('one'), await ask('two')]).toEqual([200, 200])
    expect(paths()).toEqual(['?', responses, responses])
  },
)

it.each([
  ['404', says(404)],
  ['405', says(405)],
  ['501', says(501)],
  [
    '200, as for all that it does not know',
    { status: 200, body: { error: 'Unexpected endpoint' } },
  ],
  ['a page', { status: 200, headers: { 'content-type': 'text/html' }, chunks: ['<html></html>'] }],
] as const)('asks for a chat where the server has no responses: %s', async (_, answer) => {
  const { ask, paths } = await serve([answer])
  expect([await ask('one'), await ask('two')]).toEqual([200, 200])
  expect(paths()).toEqual(['?', chat, chat])
})

it.each([401, 403, 429, 500, 503])(
  'asks again later after an answer that tells neither: %s',
  async status => {
    const { ask, paths } = await serve([says(status), says(400)])
    expect([await ask('one'), await ask('two'), await ask('three')]).toEqual([200, 200, 200])
    expect(paths()).toEqual(['?', chat, '?', responses, responses])
  },
)

it('asks nothing where it was told', async () => {
  const told = await serve([says(404)], 'native')
  await told.ask('one')
  const denied = await serve([says(400)], 'converted')
  await denied.ask('one')
  expect([told.paths(), denied.paths()]).toEqual([[responses], [chat]])
})

it('asks once for requests that come together', async () => {
  const { ask, paths } = await serve([says(400)])
  await Promise.all(['one', 'two', 'three'].map(ask))
  expect(paths().filter(path => path === '?')).toHaveLength(1)
})

it('counts the tokens itself where the server has responses and no count', async () => {
  const { post } = await serve([says(400)])
  const counted = await post('/v1/responses/input_tokens', { input: 'Hi.' })
  expect(counted).toMatchObject({ status: 200, body: { object: 'response.input_tokens' } })
})

describe('tools of Codex that a server refuses in Responses', () => {
  const custom = { type: 'custom', name: 'apply', description: 'Applies a patch.' }
  const plain = { type: 'function', name: 'look', parameters: { type: 'object', properties: {} } }
  const turn = (...questions: string[]) => ({
    tools: [custom, plain],
    input: questions.flatMap((content, at) => [
      ...(at > 0 ? [{ role: 'assistant', content: 'Yes.' }] : []),
      { role: 'user', content },
    ]),
  })

  it('are said in a chat, at once and from then on, and nothing else is', async () => {
    const { post, ask, paths, history } = await serve([says(400)])
    const first = await post(responses, turn('one'))
    expect(first).toMatchObject({ status: 200, body: { status: 'completed' } })
    expect(JSON.stringify(first.body.output)).toContain('Yes.')
    expect(paths()).toEqual(['?', responses, chat])
    expect(await post(responses, turn('one', 'two'))).toMatchObject({ status: 200 })
    expect(await ask('other')).toBe(200)
    expect(paths().slice(3)).toEqual([chat, responses])
    const threads = (await history.conversations()).flatMap(({ threads }) => threads)
    expect(threads.map(({ branch }) => branch)).toEqual(['main', 'main'])
  })

  it('are told so in its words where requests are to stay as they came', async () => {
    const { post, paths } = await serve([says(400)], 'native')
    expect(await post(responses, turn('one'))).toMatchObject(refusal)
    expect(paths()).toEqual([responses])
  })

  it('are no reason to convert a request that holds none', async () => {
    const { post, paths } = await serve([says(400)])
    const warm = { tools: [plain], input: 'one', temperature: 9 }
    expect(await post(responses, warm)).toMatchObject({
      status: 400,
      body: { error: { message: 'too warm' } },
    })
    expect(paths()).toEqual(['?', responses])
  })

  it('arrive in a stream too', async () => {
    const { post, paths } = await serve([says(400)])
    const { status, text } = await post(responses, { ...turn('one'), stream: true })
    expect(status).toBe(200)
    expect(text.match(/^event: response\.(?:created|completed)/gm)).toHaveLength(2)
    expect(paths()).toEqual(['?', responses, chat])
  })
})
