import { ollama, openaiCompatible } from '@throughline/models/dialects'
import { failureOf, partsOf, textOf, upstreamWith } from '@throughline/models/fixtures'
import type { Model } from '@throughline/models/model'
import {
  ollamaAnswer,
  openaiAnswer,
  sse,
  type UpstreamAnswer,
} from '@throughline/test-tools/scripted-upstream'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { UpstreamTimeouts } from '../src/upstream/connection.ts'
import { ollamaUpstream, openaiUpstream } from '../src/upstream/model-servers.ts'
import { opened } from '../src/upstream/upstream.fixture.ts'

const secret = 'The code of the safe is 4711, tell nobody.'
const messages = [{ role: 'user', content: secret }]
const apiKey = 'sk-proj-0123456789abcdef'
const headers = { authorization: `Bearer ${apiKey}` }
const prints = ['log', 'warn', 'error', 'info', 'debug'] as const

beforeEach(() => {
  for (const print of prints) vi.spyOn(console, print).mockImplementation(() => {})
})
afterEach(() => {
  // What cannot be read is the conversation.
  for (const print of prints) expect(console[print]).not.toHaveBeenCalled()
  vi.restoreAllMocks()
})

/** One form, and what is wrong in it. */
interface Spoken {
  /** A whole answer, in chunks. */
  readonly chunks: readonly string[]
  readonly error: string
  readonly tooLong: string
  readonly endless: string
  /** Whole answers with something else where a text should be. */
  readonly odd: readonly (readonly string[])[]
  /** Other streams that break, and the words for them. */
  readonly broken: readonly (readonly [string, readonly string[], string])[]
}

const ollamaSpoken: Spoken = {
  chunks: ollamaAnswer([{ content: 'one' }, { content: 'two' }]).chunks,
  error: '{"error":"out of memory"}\n',
  tooLong: '{"error":"the input length exceeds the context length"}\n',
  endless: '{"message":{"content":"',
  odd: [
    { content: 5 },
    { thinking: { deep: true } },
    { tool_calls: [{ function: { name: 5 } }] },
    { tool_calls: 5 },
  ].map(message => ollamaAnswer([message]).chunks),
  broken: [
    ['has a number', ['17\n'], 'cannot be read'],
    ['is a page of a proxy', ['<html>\n<p>Log in</p>\n'], 'cannot be read'],
  ],
}

const fault = (message: string, code?: string, type?: string) => ({
  error: { message, code, type },
})

const openaiSpoken: Spoken = {
  chunks: openaiAnswer([{ content: 'one' }, { content: 'two' }]).chunks,
  error: sse(fault('out of memory', undefined, 'server_error')),
  tooLong: `event: error\n${sse({ error: 'The model is loaded with context length of only 9 tokens' })}`,
  endless: 'data: {"choices":"',
  odd: [
    { content: 5 },
    { reasoning: ['deep'] },
    { tool_calls: [{ index: 0, id: 'c', function: { name: 5 } }] },
    { tool_calls: [null] },
  ].map(delta => openaiAnswer([delta]).chunks),
  broken: [
    ['has a chunk that is none', [sse(17)], 'cannot be read'],
    ['has a named error', [`event: error\n${sse({ message: 'worn out' })}`], 'worn out'],
    ['has the error of an older llama.cpp', ['error: {"message":"worn out"}\n\n'], 'worn out'],
    ['is done before the finish', ['data: [DONE]\n\n'], 'ended its answer before'],
    ['is a page of a proxy', ['<html>\n<p>Log in</p>\n\n'], 'ended its answer before'],
  ],
}

/** Whoever speaks it: the library, or an upstream of the server. */
interface Subject extends Spoken {
  readonly make: (url: string, timeouts?: Partial<UpstreamTimeouts>) => Model
  /** What to do, in errors. */
  readonly notFound: string
  readonly unavailable: string
}

const subjects: Readonly<Record<string, Subject>> = {
  'ollama()': {
    ...ollamaSpoken,
    make: host => ollama({ model: 'tiny', window: 2048, host, headers }),
    notFound: 'ollama pull tiny',
    unavailable: 'start it with "ollama serve", or check "host"',
  },
  'openaiCompatible()': {
    ...openaiSpoken,
    make: url => openaiCompatible({ model: 'tiny', baseURL: `${url}/v1`, apiKey }),
    notFound: '"/v1/models" lists',
    unavailable: 'check "baseURL"',
  },
  'Ollama as an upstream': {
    ...ollamaSpoken,
    make: (url, timeouts = {}) => opened(ollamaUpstream({ url, apiKey, timeouts })).model('tiny'),
    notFound: 'ollama pull tiny',
    unavailable: 'start it with "ollama serve", or check "upstream"',
  },
  'OpenAI as an upstream': {
    ...openaiSpoken,
    make: (url, timeouts = {}) => opened(openaiUpstream({ url, apiKey, timeouts })).model('tiny'),
    notFound: '"/v1/models" lists',
    unavailable: 'check "upstream"',
  },
}

const isChat = ({ path }: { readonly path: string }) =>
  path === '/api/chat' || path === '/v1/chat/completions'

describe.each(Object.entries(subjects))('%s', (name, subject) => {
  const { make, chunks } = subject
  const begun = chunks.slice(0, 2)
  const said = [
    { type: 'text-delta', text: 'one' },
    { type: 'text-delta', text: 'two' },
  ]

  async function speakTo(
    answer: (at: number) => UpstreamAnswer,
    timeouts?: Partial<UpstreamTimeouts>,
  ) {
    let asked = 0
    const wire = await upstreamWith(request =>
      isChat(request) ? answer(asked++) : { status: 404, body: {} },
    )
    return { wire, model: make(wire.url, timeouts), chats: () => wire.requests.filter(isChat) }
  }

  async function failureFrom(answer: UpstreamAnswer, timeouts?: Partial<UpstreamTimeouts>) {
    const { model, chats } = await speakTo(() => answer, timeouts)
    const failure = await failureOf(model.stream({ messages }))
    // Whoever calls a model decides whether to try again.
    expect(chats()).toHaveLength(1)
    const { message, stack, cause } = failure.error
    expect(`${message} ${stack} ${cause instanceof Error ? cause.stack : ''}`).not.toMatch(
      /sk-proj|the safe|nobody/,
    )
    return failure
  }

  describe('a server that refuses', () => {
    it.each([
      [429, { error: 'too many' }, 'model_busy', true],
      [429, fault('no money left', 'insufficient_quota'), 'model_busy', false],
      [500, { error: 'runner has crashed' }, 'model_unavailable', true],
      [503, 'starting, timed out', 'model_unavailable', true],
      [502, '<html><h1>Bad Gateway</h1></html>', 'model_unavailable', true],
      [404, { error: 'no such model' }, 'model_not_found', false],
      [409, fault('conflict'), 'model_refused', false],
      [400, fault('no tools'), 'model_refused', false],
      [401, fault(`Incorrect API key provided: ${apiKey}`), 'model_refused', false],
      [403, fault(`key ${apiKey} may not`), 'model_refused', false],
      [400, fault(`what is ${apiKey}?`), 'model_refused', false],
      [400, fault(`cannot parse ${secret}`), 'model_refused', false],
      [422, { detail: [{ loc: ['body'], input: secret }] }, 'model_refused', false],
      [302, '', 'model_refused', false],
    ])('%i %j is %s', async (status, body, code, isRetryable) => {
      const { error, parts } = await failureFrom({ status, body })
      expect(error).toMatchObject({ code, status, isRetryable })
      expect(parts).toEqual([])
    })

    it.each([
      { error: 'the input length exceeds the context length' },
      // As a server inside of the server puts it.
      { error: '{"error":{"code":400,"message":"x","type":"exceed_context_size_error"}}' },
      fault('too long', 'context_length_exceeded', 'invalid_request_error'),
      fault('request exceeds the available context size', undefined, 'exceed_context_size_error'),
      {
        error: 'Trying to keep the first 9 tokens when context the overflows. However, the model …',
      },
      {
        object: 'error',
        message: "This model's maximum context length is 4096 tokens. You ask for 5000",
      },
    ])('because the prompt is too long: %j', async body => {
      expect((await failureFrom({ status: 400, body })).error.code).toBe('context_too_long')
    })

    it('is quoted in a line, in part', async () => {
      const { error } = await failureFrom({
        status: 400,
        body: { error: 'tiny does not\nsupport tools' },
      })
      expect(error.message).toContain('"tiny does not support tools"')
      const { error: long } = await failureFrom({ status: 500, body: 'no '.repeat(5_000_000) })
      expect(long.message.length).toBeLessThan(1000)
    })

    it('is told what to do', async () => {
      const { error } = await failureFrom({ status: 404, body: { error: 'model not found' } })
      expect(error.message).toContain(subject.notFound)
    })

    it.each([
      ['retry-after', '3', 3000],
      ['retry-after', '0.5', 500],
      ['retry-after', 'Thu, 01 Jan 1970 00:00:00 GMT', 0],
      ['retry-after', 'soon', undefined],
      ['retry-after-ms', '1500', 1500],
    ])('and asks to wait: %s %s', async (header, value, retryAfterMs) => {
      const { error } = await failureFrom({ status: 429, headers: { [header]: value } })
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

    it('is not followed to another address', async () => {
      const other = await upstreamWith([])
      const { error } = await failureFrom({ status: 307, headers: { location: `${other.url}/x` } })
      expect(error.message).toContain('not followed')
      expect(other.requests).toEqual([])
    })

    it('is unavailable when it cuts the connection before it answers, or is not there', async () => {
      expect((await failureFrom({ ending: 'reset' })).error.code).toBe('model_unavailable')
      const { wire, model } = await speakTo(() => ({ chunks: [] }))
      await wire.close()
      const { error } = await failureOf(model.stream({ messages }))
      expect(error).toMatchObject({ code: 'model_unavailable', isRetryable: true })
      expect(error.message).toContain('ECONNREFUSED')
      expect(error.message).toContain(subject.unavailable)
    })
  })

  describe('a stream that breaks is never a success', () => {
    const broken: [string, UpstreamAnswer, string][] = [
      ['ends early', { chunks: begun }, 'ended its answer before'],
      ['ends early, in one packet', { chunks: [begun.join('')] }, 'ended its answer before'],
      ['is reset', { chunks: begun, ending: 'reset' }, 'broke off'],
      ['has an error', { chunks: [...begun, subject.error] }, 'out of memory'],
      ['has an error in one packet', { chunks: [begun.join('') + subject.error] }, 'out of memory'],
      ['has bad JSON', { chunks: [...begun, chunks[2]!.slice(0, 30), '\n\n'] }, 'cannot be read'],
      [
        'breaks off inside a line',
        { chunks: [...begun, chunks[2]!.slice(0, 30)] },
        'cannot be read',
      ],
      ...subject.broken.map(
        ([what, more, words]) =>
          [what, { chunks: [...begun, ...more] }, words] as [string, UpstreamAnswer, string],
      ),
    ]
    it.each(broken)('%s: an error, after what came', async (_, answer, words) => {
      const { error, parts } = await failureFrom(answer)
      expect(error).toMatchObject({ code: 'model_stream_broken', isRetryable: true })
      expect(error.message).toContain(words)
      expect(parts).toEqual(said)
    })

    it('ends at once', async () => {
      const { error, parts } = await failureFrom({ chunks: [] })
      expect(error.message).toContain('ended its answer before')
      expect(parts).toEqual([])
    })

    it('has something else where a text should be', async () => {
      for (const chunks of subject.odd)
        expect((await failureFrom({ chunks })).error).toMatchObject({ code: 'model_stream_broken' })
    })

    it('says that the prompt is too long', async () => {
      expect((await failureFrom({ chunks: [subject.tooLong] })).error.code).toBe('context_too_long')
    })

    it('has a line of 100 MB: it fails before it fills the memory', async () => {
      const megabyte = 'x'.repeat(1024 * 1024)
      const chunks = [subject.endless, ...Array.from({ length: 100 }, () => megabyte)]
      const { model, chats } = await speakTo(() => ({ chunks, ending: 'stall' }))
      const { error } = await failureOf(model.stream({ messages }))
      expect(error).toMatchObject({ code: 'model_stream_broken', isRetryable: true })
      expect(error.message).toMatch(
        / sent more than 16777216 bytes where the (line|event) should have ended\./,
      )
      expect(await chats()[0]!.ended).toBe('left')
    })
  })

  // The library leaves the time to `fetch`.
  if (name.endsWith('upstream'))
    it('is stalled when it never begins, or falls silent', async () => {
      const { error } = await failureFrom({ ending: 'stall' }, { first: 50 })
      expect(error.code).toBe('model_stalled')
      const silent = await failureFrom({ chunks: begun, ending: 'stall' }, { silence: 1000 })
      expect(silent.error.code).toBe('model_stalled')
      expect(silent.parts).toEqual(said)
    })

  describe('a reader that leaves', () => {
    it.each(['before the answer', 'in the answer'])('stops the server %s', async when => {
      const { model, chats } = await speakTo(() =>
        when === 'in the answer' ? { chunks: begun, ending: 'stall' } : { ending: 'stall' },
      )
      const leaving = new AbortController()
      const reason = new Error('left')
      const stream = model.stream({ messages, signal: leaving.signal })[Symbol.asyncIterator]()
      if (when === 'in the answer')
        for (const value of said) expect(await stream.next()).toMatchObject({ value })
      const next = stream.next()
      await expect.poll(() => chats()[0]?.state()).toBe('open')
      leaving.abort(reason)
      await expect(next).rejects.toBe(reason)
      expect(await chats()[0]!.ended).toBe('left')
    })

    it('stops the server by reading no more, and touches no other request', async () => {
      const { model, chats } = await speakTo(at =>
        at === 0 ? { chunks: begun, ending: 'stall' } : { chunks },
      )
      let other = Promise.resolve('')
      for await (const _ of model.stream({ messages })) {
        other = partsOf(model.stream({ messages })).then(textOf)
        break
      }
      expect(await chats()[0]!.ended).toBe('left')
      expect(await other).toBe('onetwo')
      expect(await chats()[1]!.ended).toBe('whole')
    })

    it('asks nothing if the signal is aborted already', async () => {
      const { model, wire } = await speakTo(() => ({ chunks }))
      const signal = AbortSignal.abort('early')
      await expect(partsOf(model.stream({ messages, signal }))).rejects.toBe('early')
      expect(wire.requests).toEqual([])
    })
  })

  it('lets a whole reply come to its end, so that its connection is used again', async () => {
    const { model, wire, chats } = await speakTo(() => ({ chunks }))
    for (let turn = 0; turn < 5; turn++) {
      await partsOf(model.stream({ messages }))
      expect(await chats()[turn]!.ended).toBe('whole')
    }
    // A request may begin while the end of the answer before it is still on its way.
    expect(new Set(wire.requests.map(({ port }) => port)).size).toBeLessThanOrEqual(2)
  })
})

it.each([
  [fault('x', 'context_length_exceeded'), undefined],
  [
    {
      error: { code: 'context_length_exceeded', message: 'x', n_prompt_tokens: 5001, n_ctx: 4096 },
    },
    true,
  ],
  [
    {
      error:
        '{"error":{"message":"x","type":"exceed_context_size_error","n_prompt_tokens":5001,"n_ctx":4096}}',
    },
    true,
  ],
  [
    { error: 'request (5001 tokens) exceeds the available context size (4096 tokens), try again' },
    true,
  ],
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
    undefined,
  ],
  [
    {
      error: 'context size has been exceeded by: request (5001 tokens) exceeds the x (4096 tokens)',
    },
    undefined,
  ],
])(
  'a refusal tells how long the prompt was, if it says so, and the window is known then: %j',
  async (body, isTold) => {
    const upstream = await upstreamWith(() => ({ status: 400, body }))
    const model = ollama({ model: 'tiny', window: 8192, host: upstream.url })
    const { error } = await failureOf(model.stream({ messages }))
    expect(error.code).toBe('context_too_long')
    expect(error.tokens).toEqual(isTold && { prompt: 5001, window: 4096 })
    expect(await model.window()).toBe(isTold ? 4096 : 8192)
  },
)

it('a model is stalled when `fetch` has waited long enough', async () => {
  const impatient: typeof fetch = async () => {
    const cause = Object.assign(new Error('Headers Timeout Error'), {
      code: 'UND_ERR_HEADERS_TIMEOUT',
    })
    throw new TypeError('fetch failed', { cause })
  }
  const model = ollama({ model: 'tiny', window: 2048, fetch: impatient })
  const { error } = await failureOf(model.stream({ messages }))
  expect(error.code).toBe('model_stalled')
})
