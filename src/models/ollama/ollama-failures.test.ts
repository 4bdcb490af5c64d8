import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ollamaAnswer, type UpstreamAnswer } from '../../../test/scripted-upstream.ts'
import { ModelError } from '../model.ts'
import { failureOf, partsOf, upstreamWith } from '../upstream.fixture.ts'
import { ollama } from './ollama.ts'

const secret = 'The code of the safe is 4711, tell nobody.'
const messages = [{ role: 'user', content: secret }]

async function failureFrom(answer: UpstreamAnswer) {
  const upstream = await upstreamWith([answer])
  return failureOf(ollama({ model: 'tiny', window: 2048, host: upstream.url }).stream({ messages }))
}

const prints = ['log', 'warn', 'error'] as const

beforeEach(() => {
  for (const print of prints) vi.spyOn(console, print).mockImplementation(() => {})
})
afterEach(() => {
  // The client prints what it cannot read, and that would be the conversation.
  for (const print of prints) expect(console[print]).not.toHaveBeenCalled()
  vi.restoreAllMocks()
})

describe('a server that refuses', () => {
  it.each([
    [429, { error: 'too many' }, 'model_busy', true],
    [500, { error: 'runner has crashed' }, 'model_unavailable', true],
    [503, 'overloaded', 'model_unavailable', true],
    [502, '<html><h1>Bad Gateway</h1></html>', 'model_unavailable', true],
    [404, { error: 'model "tiny" not found' }, 'model_not_found', false],
    [400, { error: 'tiny does not support tools' }, 'model_refused', false],
    [403, { error: 'forbidden' }, 'model_refused', false],
    [400, { error: 'the input length exceeds the context length' }, 'context_too_long', false],
    // As a server inside of the server puts it.
    [
      400,
      { error: '{"error":{"code":400,"message":"x","type":"exceed_context_size_error"}}' },
      'context_too_long',
      false,
    ],
    [
      500,
      { error: 'request (900 tokens) exceeds the available context size (512 tokens)' },
      'context_too_long',
      false,
    ],
  ])('%i %j is %s', async (status, body, code, isRetryable) => {
    const { error, parts } = await failureFrom({ status, body })
    expect(error).toMatchObject({ code, status, isRetryable })
    expect(parts).toEqual([])
  })

  it.each([
    [
      {
        error:
          '{"error":{"message":"x","type":"exceed_context_size_error","n_prompt_tokens":5001,"n_ctx":4096}}',
      },
      true,
    ],
    [{ error: { message: 'x', code: 'context_length_exceeded', n_prompt_tokens: 5001, n_ctx: 4096 } }, true],
    [{ error: 'request (5001 tokens) exceeds the available context size (4096 tokens), try again' }, true],
    [
      {
        message:
          "This model's maximum context length is 4096 tokens. However, you requested 5501 tokens (5001 in the messages, 500 in the completion). Please reduce the length of the messages.",
      },
      true,
    ],
    [
      {
        error:
          '{"error":{"message":"x","type":"exceed_context_size_error","n_prompt_tokens":"many","n_ctx":-1}}',
      },
      false,
    ],
    [
      { error: 'context size has been exceeded by: request (5001 tokens) exceeds the x (4096 tokens)' },
      false,
    ],
  ])('tells how long the prompt was, if it says so: %j', async (body, isTold) => {
    const { error } = await failureFrom({ status: 400, body })
    expect(error.code).toBe('context_too_long')
    expect(error.tokens).toEqual(isTold ? { prompt: 5001, window: 4096 } : undefined)
  })

  it('is quoted in a line', async () => {
    const { error } = await failureFrom({ status: 400, body: { error: 'tiny does not\nsupport tools' } })
    expect(error.message).toContain('"tiny does not support tools"')
  })

  it('says how to get a model that it does not have', async () => {
    const { error } = await failureFrom({ status: 404, body: { error: 'model not found' } })
    expect(error.message).toContain('ollama pull tiny')
  })

  it.each([
    ['3', 3000],
    ['0.5', 500],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
    ['soon', undefined],
  ])('and asks to wait: %s', async (value, retryAfterMs) => {
    const { error } = await failureFrom({ status: 429, headers: { 'retry-after': value } })
    expect(error.retryAfterMs).toBe(retryAfterMs)
  })

  it.each([`cannot render: ${secret}`, `bad input "${secret.slice(4, 40)}"`])(
    'does not get what was sent into the error: %s',
    async words => {
      const { error } = await failureFrom({ status: 400, body: { error: words } })
      expect(error.message).toContain('left out')
      expect(error.message).not.toContain('safe')
    },
  )

  it('is an error of ours when nobody is there', async () => {
    const upstream = await upstreamWith([])
    await upstream.close()
    const { error } = await failureOf(
      ollama({ model: 'tiny', window: 2048, host: upstream.url }).stream({ messages }),
    )
    expect(error).toMatchObject({ code: 'model_unavailable', isRetryable: true })
    expect(error.message).toContain('ECONNREFUSED')
    expect(error.message).toContain('ollama serve')
  })

  it('is unavailable when it cuts the connection before it answers', async () => {
    expect((await failureFrom({ ending: 'reset' })).error.code).toBe('model_unavailable')
  })
})

describe('a stream that breaks is never a success', () => {
  const { chunks } = ollamaAnswer([{ content: 'one' }, { content: 'two' }])
  const begun = chunks.slice(0, 2)
  const cases: [string, UpstreamAnswer, string][] = [
    ['ends early', { chunks: begun }, 'before it was done'],
    ['ends at once', { chunks: [] }, 'before it was done'],
    ['is reset', { chunks: begun, ending: 'reset' }, 'broke off'],
    ['has an error line', { chunks: [...begun, '{"error":"out of memory"}\n'] }, 'out of memory'],
    ['has bad JSON', { chunks: [...begun, '{"message":{"content":"tw\n', chunks[2]!] }, 'cannot be read'],
    ['has a number', { chunks: [...begun, '17\n', chunks[2]!] }, 'cannot be read'],
    ['ends in a line', { chunks: [...begun, chunks[2]!.slice(0, 30)] }, 'cannot be read'],
    ['is a page of a proxy', { chunks: ['<html>\n<p>Log in</p>\n'] }, 'cannot be read'],
  ]
  it.each(cases)('%s', async (_, answer, words) => {
    const { error, parts } = await failureFrom(answer)
    expect(error).toMatchObject({ code: 'model_stream_broken', isRetryable: true })
    expect(error.message).toContain(words)
    expect(parts.every(part => part.type === 'text-delta')).toBe(true)
  })

  it.each([
    ['in packets of their own', [...begun, 'rubbish\n']],
    ['in one packet with the fault', [`${begun.join('')}rubbish\n`]],
    ['in one packet, and then the end', [begun.join('')]],
  ])('gives what came before, %s', async (_, chunks) => {
    expect((await failureFrom({ chunks })).parts).toEqual([
      { type: 'text-delta', text: 'one' },
      { type: 'text-delta', text: 'two' },
    ])
  })

  it('tells an error line about the window apart', async () => {
    const line = '{"error":"the input length exceeds the context length"}\n'
    expect((await failureFrom({ chunks: [line] })).error.code).toBe('context_too_long')
  })
})

it.each([
  [{ role: 'assistant_note', content: 'remember' }, 'is a note'],
  [{ role: 'robot', content: 'hi' }, 'unknown role'],
  [{ role: 'user', content: 'x', images: ['https://a.example/b.png'] }, 'fetch it'],
  [{ role: 'user', content: 'x', images: ['./photo.png'] }, 'read the file'],
  [{ role: 'user', content: [{ type: 'hologram' }] }, 'does not take'],
])('refuses a message that cannot be sent, without asking: %j', async (message, words) => {
  const upstream = await upstreamWith([ollamaAnswer([])])
  const model = ollama({ model: 'tiny', window: 2048, host: upstream.url })
  const { error } = await failureOf(model.stream({ messages: [message] }))
  expect(error).toMatchObject({ code: 'model_refused', isRetryable: false })
  expect(error.message).toContain('Message 0')
  expect(error.message).toContain(words)
  expect(upstream.requests).toEqual([])
})

it('is stalled when `fetch` has waited long enough', async () => {
  const impatient: typeof fetch = async () => {
    const cause = Object.assign(new Error('Headers Timeout Error'), { code: 'UND_ERR_HEADERS_TIMEOUT' })
    throw new TypeError('fetch failed', { cause })
  }
  const model = ollama({ model: 'tiny', window: 2048, fetch: impatient })
  await expect(partsOf(model.stream({ messages }))).rejects.toBeInstanceOf(ModelError)
  await expect(partsOf(model.stream({ messages }))).rejects.toMatchObject({ code: 'model_stalled' })
})
