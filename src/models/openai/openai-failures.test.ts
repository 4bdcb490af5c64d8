import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openaiAnswer, sse, type UpstreamAnswer } from '../../../test/scripted-upstream.ts'
import { failureOf, partsOf, textOf, upstreamWith } from '../upstream.fixture.ts'
import { openaiCompatible } from './openai-compatible.ts'

const apiKey = 'sk-proj-0123456789abcdef'
const secret = 'The code of the safe is 4711, tell nobody.'
const messages = [{ role: 'user', content: secret }]
const prints = ['log', 'warn', 'error', 'info', 'debug'] as const

beforeEach(() => {
  for (const print of prints) vi.spyOn(console, print).mockImplementation(() => {})
})
afterEach(() => {
  for (const print of prints) expect(console[print]).not.toHaveBeenCalled()
  vi.restoreAllMocks()
})

async function failureFrom(answer: UpstreamAnswer) {
  const upstream = await upstreamWith([answer])
  const model = openaiCompatible({ baseURL: `${upstream.url}/v1`, model: 'tiny', apiKey })
  const failure = await failureOf(model.stream({ messages }))
  // The client would ask three times: whoever calls the model decides that.
  expect(upstream.requests).toHaveLength(1)
  expect(`${failure.error.message} ${failure.error.stack}`).not.toMatch(/sk-proj|4711/)
  return failure
}

it('a client that will not ask says why: a key is missing', async () => {
  vi.stubEnv('OPENAI_API_KEY', undefined)
  const fetch = vi.fn()
  const model = openaiCompatible({ baseURL: 'https://api.openai.com/v1', model: 'gpt', window: 9, fetch })
  const { error } = await failureOf(model.stream({ messages }))
  vi.unstubAllEnvs()
  expect(error).toMatchObject({ code: 'model_refused', isRetryable: false })
  expect(error.message).toMatch(
    /^The server at https:\/\/api\.openai\.com\/v1 was not asked: ".*OPENAI_API_KEY/,
  )
  expect(String(error.cause)).toContain('OPENAI_API_KEY')
  expect(fetch).not.toHaveBeenCalled()
})

const fault = (message: string, code?: string, type?: string) => ({ error: { message, code, type } })

describe('a server that refuses', () => {
  it.each([
    [429, fault('slow down'), 'model_busy', true],
    [429, fault('no money left', 'insufficient_quota'), 'model_busy', false],
    [500, fault('boom'), 'model_unavailable', true],
    [503, 'starting, timed out', 'model_unavailable', true],
    [409, fault('conflict'), 'model_refused', false],
    [404, fault('no such model'), 'model_not_found', false],
    [400, fault('bad schema'), 'model_refused', false],
    [401, fault(`Incorrect API key provided: ${apiKey}`), 'model_refused', false],
    [403, fault(`key ${apiKey} may not`), 'model_refused', false],
    [400, fault(`what is ${apiKey}?`), 'model_refused', false],
    [422, { detail: [{ loc: ['body'], input: secret }] }, 'model_refused', false],
    [400, fault(`cannot parse ${secret}`), 'model_refused', false],
  ])('%i %j is %s', async (status, body, code, isRetryable) => {
    const { error, parts } = await failureFrom({ status, body })
    expect(error).toMatchObject({ code, status, isRetryable })
    expect(parts).toEqual([])
  })

  it.each([
    fault('too long', 'context_length_exceeded', 'invalid_request_error'),
    // llama.cpp, vLLM, LM Studio
    fault('request exceeds the available context size', undefined, 'exceed_context_size_error'),
    {
      object: 'error',
      message: "This model's maximum context length is 4096 tokens. However, you ask for 5000",
    },
    { error: 'Trying to keep the first 9 tokens when context the overflows. However, the model …' },
  ])('because the prompt is too long: %j', async body => {
    expect((await failureFrom({ status: 400, body })).error.code).toBe('context_too_long')
  })

  it('and asks to wait', async () => {
    const { error } = await failureFrom({ status: 429, headers: { 'retry-after-ms': '1500' } })
    expect(error.retryAfterMs).toBe(1500)
  })

  it('is unavailable when nobody is there', async () => {
    const upstream = await upstreamWith([])
    await upstream.close()
    const model = openaiCompatible({ baseURL: upstream.url, model: 'tiny' })
    const { error } = await failureOf(model.stream({ messages }))
    expect(error).toMatchObject({ code: 'model_unavailable', isRetryable: true })
    expect(error.message).toContain('ECONNREFUSED')
  })
})

describe('a stream that breaks is never a success', () => {
  const { chunks } = openaiAnswer([{ content: 'one' }, { content: 'two' }])
  const begun = chunks.slice(0, 2)
  const cases: [string, UpstreamAnswer, string][] = [
    ['ends before the finish', { chunks: begun }, 'before it was finished'],
    ['is done before the finish', { chunks: [...begun, 'data: [DONE]\n\n'] }, 'before it was finished'],
    ['ends at once', { chunks: [] }, 'before it was finished'],
    ['is a page of a proxy', { chunks: ['<html>\n<p>Log in</p>\n\n'] }, 'before it was finished'],
    ['is reset', { chunks: begun, ending: 'reset' }, 'broke off'],
    ['has an error event', { chunks: [...begun, sse(fault('out of memory'))] }, 'out of memory'],
    ['has a named one', { chunks: [...begun, `event: error\n${sse({ message: 'worn out' })}`] }, 'worn out'],
    ['has bad JSON', { chunks: [...begun, 'data: {"choices": 4711\n\n', ...chunks.slice(2)] }, 'broke off'],
    ['has a chunk that is none', { chunks: [...begun, sse(17), ...chunks.slice(2)] }, 'failed'],
  ]
  it.each(cases)('%s', async (_, answer, words) => {
    const { error, parts } = await failureFrom(answer)
    expect(error).toMatchObject({ code: 'model_stream_broken', isRetryable: true })
    expect(error.message).toContain(words)
    expect(parts.map(part => part.type)).not.toContain('end')
  })

  it('gives what came before, but no half of a tool call', async () => {
    const call = { tool_calls: [{ index: 0, id: 'a', function: { name: 'wind', arguments: '{"ci' } }] }
    const half = openaiAnswer([{ content: 'one' }, call]).chunks.slice(0, 2)
    const { parts } = await failureFrom({ chunks: half })
    expect(parts).toEqual([{ type: 'text-delta', text: 'one' }])
  })

  it('tells an error event about the window apart', async () => {
    const event = `event: error\n${sse({ error: 'The model is loaded with context length of only 9 tokens' })}`
    expect((await failureFrom({ chunks: [event] })).error.code).toBe('context_too_long')
  })
})

describe('a reader that leaves', () => {
  const begun = { chunks: openaiAnswer([{ content: 'one' }]).chunks.slice(0, 1), ending: 'stall' } as const

  it('by its signal: the connection is closed, the reason thrown', async () => {
    const upstream = await upstreamWith([begun])
    const controller = new AbortController()
    const model = openaiCompatible({ baseURL: upstream.url, model: 'm' })
    const parts = model.stream({ messages, signal: controller.signal })[Symbol.asyncIterator]()
    expect(await parts.next()).toMatchObject({ value: { text: 'one' } })
    expect(upstream.requests[0]!.state()).toBe('open')
    const reason = new Error('the user left')
    const next = parts.next()
    controller.abort(reason)
    await expect(next).rejects.toBe(reason)
    expect(await upstream.requests[0]!.ended).toBe('left')
  })

  it('before the first word', async () => {
    const upstream = await upstreamWith([{ ending: 'stall' }])
    const controller = new AbortController()
    const model = openaiCompatible({ baseURL: upstream.url, model: 'm' })
    const parts = partsOf(model.stream({ messages, signal: controller.signal }))
    await expect.poll(() => upstream.requests.length).toBe(1)
    controller.abort('enough')
    await expect(parts).rejects.toBe('enough')
    expect(await upstream.requests[0]!.ended).toBe('left')
  })

  it('by reading no further, and no other request is touched', async () => {
    const whole = openaiAnswer([{ content: 'still' }, { content: ' here' }])
    const upstream = await upstreamWith((_, at) => (at === 0 ? begun : whole))
    const model = openaiCompatible({ baseURL: upstream.url, model: 'm' })
    let other = Promise.resolve('')
    for await (const _ of model.stream({ messages })) {
      other = partsOf(model.stream({ messages })).then(textOf)
      break
    }
    expect(await upstream.requests[0]!.ended).toBe('left')
    expect(await other).toBe('still here')
    expect(await upstream.requests[1]!.ended).toBe('whole')
  })
})
