import { anthropicAnswer, upstreamWith } from '@throughline/models/fixtures'
import {
  ollamaAnswer,
  openaiAnswer,
  sse,
  type UpstreamAnswer,
  type UpstreamRequest,
} from '@throughline/test-tools/scripted-upstream'
import { startServer } from '@throughline/test-tools/start-server'
import { describe, expect, it } from 'vitest'
import { anthropicUpstream, ollamaUpstream, openaiUpstream } from '../src/upstream/model-servers.ts'
import type { Upstream } from '../src/upstream/upstream.ts'

/** A conversation of about 12,000 tokens. */
const long = Array.from({ length: 60 }, (_, n) => ({
  role: n % 2 === 0 ? 'user' : 'assistant',
  content: `Message ${n}. ${`The lock of gate ${n} is green today. `.repeat(20)}`,
}))
const question = { role: 'user', content: 'And which gate is open?' }
const messages = [...long, question]

/** What the scripted servers count: four characters are a token. */
const tokensIn = ({ text }: UpstreamRequest) => Math.ceil(text.length / 4)

const window = 8192

const named = (prompt: number, most = window) =>
  `This model's maximum context length is ${most} tokens. However, your messages resulted in ${prompt} tokens.`

const responseEvent = (type: string, fields: object) =>
  `event: ${type}\n${sse({ type, ...fields })}`

/** A streamed response of OpenAI with one text. */
function responsesAnswer(text: string): UpstreamAnswer {
  const content = [{ type: 'output_text', text, annotations: [] }]
  const item = { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content }
  const response = {
    id: 'resp_1',
    object: 'response',
    model: 'm',
    status: 'in_progress',
    output: [],
  }
  const at = { output_index: 0, item_id: 'msg_1', content_index: 0 }
  return {
    headers: { 'content-type': 'text/event-stream' },
    chunks: [
      responseEvent('response.created', { response }),
      responseEvent('response.in_progress', { response }),
      responseEvent('response.output_item.added', {
        output_index: 0,
        item: { ...item, content: [] },
      }),
      responseEvent('response.output_text.delta', { ...at, delta: text }),
      responseEvent('response.output_item.done', { output_index: 0, item }),
      responseEvent('response.completed', {
        response: { ...response, status: 'completed', output: [item] },
      }),
    ],
  }
}

/** How servers refuse a prompt of more than 8,192 tokens. */
const refusals: Readonly<Record<string, (prompt: number) => unknown>> = {
  OpenAI: prompt => ({
    error: {
      message: `This model's maximum context length is ${window} tokens. However, your messages resulted in ${prompt} tokens. Please reduce the length of the messages.`,
      type: 'invalid_request_error',
      param: 'messages',
      code: 'context_length_exceeded',
    },
  }),
  'OpenAI, of the prompt alone': prompt => ({
    error: {
      message: `Input tokens exceed the configured limit of ${window} tokens. Your messages resulted in ${prompt} tokens. Please reduce the length of the messages.`,
      code: 'context_length_exceeded',
    },
  }),
  vLLM: prompt => ({
    object: 'error',
    message: `This model's maximum context length is ${window} tokens. However, you requested ${prompt + 512} tokens (${prompt} in the messages, 512 in the completion). Please reduce the length of the messages or completion.`,
    type: 'BadRequestError',
    code: 400,
  }),
  'vLLM, newer': prompt => ({
    error: {
      message: `This model's maximum context length is ${window} tokens. However, your request has ${prompt} input tokens. Please reduce the length of the input messages.`,
      type: 'BadRequestError',
      code: 400,
    },
  }),
  'llama.cpp': prompt => ({
    error: {
      code: 400,
      message: `request (${prompt} tokens) exceeds the available context size (${window} tokens), try increasing it`,
      type: 'exceed_context_size_error',
      n_prompt_tokens: prompt,
      n_ctx: window,
    },
  }),
  'LM Studio': prompt => ({
    error: `Trying to keep the first ${prompt} tokens when context the overflows. However, the model is loaded with context length of only ${window} tokens, which is not enough.`,
  }),
  Google: prompt => ({
    error: {
      code: 400,
      message: `The input token count (${prompt}) exceeds the maximum number of tokens allowed (${window}).`,
      status: 'INVALID_ARGUMENT',
    },
  }),
  Mistral: prompt => ({
    object: 'error',
    message: `Prompt contains ${prompt} tokens and 0 draft tokens, too large for model with ${window} maximum context length`,
    type: 'invalid_request_error',
  }),
  xAI: prompt => ({
    code: 'Client specified an invalid argument',
    error: `This model's maximum prompt length is ${window} but the request contains ${prompt} tokens.`,
  }),
  OpenRouter: prompt => ({
    error: {
      code: 400,
      message: `This endpoint's maximum context length is ${window} tokens. However, you requested about ${prompt} tokens (${prompt} of text input). Please reduce the length of either one.`,
    },
  }),
  Together: prompt => ({
    error: {
      message: `Input validation error: \`inputs\` tokens + \`max_new_tokens\` must be <= ${window}. Given: ${prompt} \`inputs\` tokens and 512 \`max_new_tokens\``,
    },
  }),
  Moonshot: () => ({
    error: { message: `Invalid request: Your request exceeded model token limit: ${window}` },
  }),
}

/** A server of OpenAI's kind that tells no window, and refuses as it is told. */
async function startOpenAi(
  refuse: (prompt: number, request: UpstreamRequest) => UpstreamAnswer,
  options: { readonly window?: number } = {},
) {
  const scripted = await upstreamWith(request => {
    if (request.path === '/v1/models') return { status: 200, body: { data: [{ id: 'm' }] } }
    if (!request.path.endsWith('/chat/completions')) return { status: 404, body: {} }
    const prompt = tokensIn(request)
    if (prompt > window) return refuse(prompt, request)
    const answer = openaiAnswer([{ content: 'Gate 7.' }])
    if ((request.body as { stream?: boolean }).stream) return answer
    const message = { role: 'assistant', content: 'Gate 7.' }
    return {
      status: 200,
      body: { id: 'x', choices: [{ index: 0, message, finish_reason: 'stop' }] },
    }
  })
  const server = await startServer({ upstream: openaiUpstream({ url: scripted.url, ...options }) })
  const chats = () => scripted.requests.filter(({ path }) => path.endsWith('/chat/completions'))
  return { ...server, chats }
}

const post = (url: string, path: string, body: object) =>
  fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', stream: false, ...body }),
  })

const unknownWords = 'window unknown: nothing is cut'

describe('a window that is not known', () => {
  it('cuts nothing, and a header says so', async () => {
    const { url, chats } = await startOpenAi(() => ({ status: 500 }))
    const short = long.slice(0, 21)
    const response = await post(url, '/v1/chat/completions', { messages: short })
    expect(response.status).toBe(200)
    expect(response.headers.get('x-throughline-window')).toBeNull()
    expect(response.headers.get('x-throughline-window-from')).toBe(unknownWords)
    expect(response.headers.get('x-throughline-left-out')).toBe('0')
    expect(chats()[0]!.body).toEqual({ model: 'm', stream: false, messages: short })
  })

  it('cuts nothing of a conversation of any length', async () => {
    const scripted = await upstreamWith(({ path }) =>
      path === '/v1/models'
        ? { status: 200, body: { data: [] } }
        : openaiAnswer([{ content: 'Yes.' }]),
    )
    const { url } = await startServer({ upstream: openaiUpstream({ url: scripted.url }) })
    const all = Array.from({ length: 20 }, () => long).flat()
    const response = await post(url, '/v1/chat/completions', {
      messages: [...all, question],
      stream: true,
    })
    await response.text()
    expect(scripted.requests.at(-1)!.body).toMatchObject({ messages: [...all, question] })
  })

  it('is shown as unknown by the API', async () => {
    const { url } = await startOpenAi(() => ({ status: 500 }))
    const headers = { 'x-throughline-conversation': 'gates', 'content-type': 'application/json' }
    const body = JSON.stringify({ model: 'm', messages: [question] })
    await (await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body })).text()
    const read = async (path: string) => (await fetch(`${url}/throughline/v1${path}`)).json()
    const { calls } = (await read('/conversations/gates/calls')) as { calls: object[] }
    expect(calls[0]).not.toHaveProperty('window')
    const context = await read('/conversations/gates/context')
    expect(context).not.toHaveProperty('window')
    expect(context).toMatchObject({ reserve: 0, margin: 0, over: 0 })
    const { models } = (await read('/server')) as { models: object[] }
    expect(models).toEqual([{ name: 'm' }])
  })
})

describe('a refusal that names the window', () => {
  it.each(
    Object.entries(refusals).flatMap(([name, body]) => [
      [name, 'whole', body] as const,
      [name, 'streamed', body] as const,
    ]),
  )('of %s has a %s request fitted once and sent again', async (_, form, body) => {
    const { url, chats } = await startOpenAi(prompt => ({ status: 400, body: body(prompt) }))
    const ask = async () => {
      const response = await post(url, '/v1/chat/completions', {
        messages,
        stream: form === 'streamed',
      })
      return { response, text: await response.text() }
    }
    const { response, text } = await ask()
    expect(response.status).toBe(200)
    expect(text).toContain('Gate 7.')
    expect(chats().map(request => tokensIn(request) > window)).toEqual([true, false])
    expect(response.headers.get('x-throughline-window')).toBe(String(window))
    expect(response.headers.get('x-throughline-window-from')).toBe('from a refusal of the server')
    // It is remembered.
    await ask()
    expect(
      chats()
        .slice(2)
        .map(request => tokensIn(request) > window),
    ).toEqual([false])
  })
})

/** A server that refuses every prompt of more than 8,192 tokens, in the words of a form. */
async function startServerWith(
  answer: (request: UpstreamRequest, isTooLong: boolean) => UpstreamAnswer,
  open: (url: string) => Upstream,
  path: string,
) {
  const scripted = await upstreamWith(request => answer(request, tokensIn(request) > window))
  const server = await startServer({ upstream: open(scripted.url) })
  const asked = () =>
    scripted.requests.filter(one => one.path === path).map(one => tokensIn(one) > window)
  return { ...server, asked }
}

describe('a refusal of another form', () => {
  it.each([false, true])(
    'of Anthropic has the request fitted once and sent again; streamed: %s',
    async stream => {
      const message = {
        ...{
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          model: 'm',
          content: [{ type: 'text', text: 'Gate 7.' }],
        },
        ...{
          stop_reason: 'end_turn',
          stop_sequence: null,
          usage: { input_tokens: 7, output_tokens: 3 },
        },
      }
      const { url, asked } = await startServerWith(
        (request, isTooLong) => {
          if (request.path !== '/v1/messages') return { status: 404, body: {} }
          const words = `prompt is too long: ${tokensIn(request)} tokens > ${window} maximum`
          const error = { type: 'invalid_request_error', message: words }
          if (isTooLong) return { status: 400, body: { type: 'error', error } }
          return stream
            ? anthropicAnswer([{ type: 'text', text: 'Gate 7.' }])
            : { status: 200, body: message }
        },
        address => anthropicUpstream({ url: address }),
        '/v1/messages',
      )
      const response = await post(url, '/v1/messages', { messages, max_tokens: 512, stream })
      expect(await response.text()).toContain('e 7.')
      expect(asked()).toEqual([true, false])
    },
  )

  it.each([
    [
      'with a status',
      { status: 400, body: { error: { code: 'context_length_exceeded', message: named(20_000) } } },
    ],
    [
      'in the stream',
      {
        headers: { 'content-type': 'text/event-stream' },
        chunks: [
          responseEvent('response.created', { response: { id: 'resp_0', status: 'in_progress' } }),
          responseEvent('response.in_progress', {
            response: { id: 'resp_0', status: 'in_progress' },
          }),
          responseEvent('response.failed', {
            response: {
              id: 'resp_0',
              status: 'failed',
              error: { code: 'context_length_exceeded', message: named(20_000) },
            },
          }),
        ],
      },
    ],
  ] as [string, UpstreamAnswer][])(
    'of the Responses API, %s, is not seen by the client',
    async (_, refusal) => {
      const { url, asked } = await startServerWith(
        (request, isTooLong) => {
          if (request.path !== '/v1/responses') return { status: 404, body: {} }
          return isTooLong ? refusal : responsesAnswer('Gate 7.')
        },
        address => openaiUpstream({ url: address, responses: 'native' }),
        '/v1/responses',
      )
      const response = await post(url, '/v1/responses', { input: messages, stream: true })
      const text = await response.text()
      expect(text).toContain('Gate 7.')
      expect(text).not.toContain('resp_0')
      expect(asked()).toEqual([true, false])
    },
  )

  it.each(['/api/chat', '/v1/chat/completions', '/v1/messages', '/v1/responses'])(
    'of Ollama, which names no number, has its loaded model looked up, at %s',
    async path => {
      let isLoaded = false
      const { url, asked } = await startServerWith(
        (request, isTooLong) => {
          const models = isLoaded ? [{ name: 'm:latest', context_length: window }] : []
          if (request.path === '/api/ps') return { status: 200, body: { models } }
          if (request.path !== '/api/chat') return { status: 404, body: {} }
          isLoaded = true
          const error = 'the input length exceeds the context length'
          return isTooLong
            ? { status: 400, body: { error } }
            : ollamaAnswer([{ content: 'Gate 7.' }])
        },
        address => ollamaUpstream({ url: address }),
        '/api/chat',
      )
      const list = path === '/v1/responses' ? { input: messages } : { messages, max_tokens: 512 }
      const response = await post(url, path, { ...list, stream: true })
      expect(await response.text()).toContain('Gate 7.')
      expect(asked()).toEqual([true, false])
    },
  )
})

describe('a refusal that is not believed', () => {
  it.each([1, 16, 255, 0, 999_999_999])('names a window of %i', async told => {
    const body = { error: { code: 'context_length_exceeded', message: named(20_000, told) } }
    const { url, chats } = await startOpenAi(() => ({ status: 400, body }))
    const response = await post(url, '/v1/chat/completions', { messages })
    // The client gets the words of its upstream.
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual(body)
    expect(chats()).toHaveLength(1)
    await (await post(url, '/v1/chat/completions', { messages: [question] })).text()
    const again = await post(url, '/v1/chat/completions', { messages: [question] })
    expect(again.headers.get('x-throughline-window-from')).toBe(unknownWords)
  })

  it('stands in the middle of other words', async () => {
    const message = `Your text says: ${named(20_000, 300)} context_length`
    const { url } = await startOpenAi(() => ({
      status: 400,
      body: { error: { message, code: 'context_length_exceeded' } },
    }))
    expect((await post(url, '/v1/chat/completions', { messages })).status).toBe(400)
  })

  it('is of a quota, and not of the window', async () => {
    const message =
      'Request too large for model `m` on tokens per minute (TPM): Limit 6000, Requested 20000, please reduce your message size and try again.'
    const { url, chats } = await startOpenAi(() => ({
      status: 413,
      body: { error: { message, code: 'rate_limit_exceeded' } },
    }))
    expect((await post(url, '/v1/chat/completions', { messages })).status).toBe(413)
    expect(chats()).toHaveLength(1)
  })
})

it('says in words that the fixed part alone does not fit into the window that was learnt', async () => {
  const { url, chats } = await startOpenAi(prompt => ({
    status: 400,
    body: refusals.vLLM!(prompt),
  }))
  const system = { role: 'system', content: 'Be kind to each of the gates. '.repeat(2000) }
  const response = await post(url, '/v1/chat/completions', { messages: [system, question] })
  expect(response.status).toBe(400)
  const { error } = (await response.json()) as { error: { code: string; message: string } }
  expect(error.code).toBe('window_too_small')
  expect(error.message).toContain('its system prompt and its tools take')
  expect(error.message).toContain('the window has 8192')
  expect(chats()).toHaveLength(1)
})

describe('a window that was set', () => {
  it('wins over what the server and the client say', async () => {
    const { url, chats } = await startOpenAi(() => ({ status: 500 }), { window: 4096 })
    const response = await post(url, '/v1/chat/completions', { messages })
    expect(response.headers.get('x-throughline-window')).toBe('4096')
    expect(response.headers.get('x-throughline-window-from')).toBe('as set')
    expect(tokensIn(chats()[0]!)).toBeLessThan(4096)
  })

  it('is corrected by a refusal that names a smaller one', async () => {
    const { url, chats } = await startOpenAi(
      prompt => ({ status: 400, body: refusals.OpenAI!(prompt) }),
      {
        window: 100_000,
      },
    )
    const response = await post(url, '/v1/chat/completions', { messages })
    expect(response.status).toBe(200)
    expect(response.headers.get('x-throughline-window')).toBe(String(window))
    expect(chats()).toHaveLength(2)
  })
})

describe('a request to Ollama that names no window', () => {
  /** An Ollama that loads the model when it is first asked, unless another program has loaded it already. */
  async function startOllama(isLoaded: boolean) {
    let loaded = isLoaded
    const scripted = await upstreamWith(({ path }) => {
      const models = loaded ? [{ name: 'm:latest', context_length: 8192 }] : []
      if (path === '/api/ps') return { status: 200, body: { models } }
      if (path !== '/api/chat') return { status: 404, body: {} }
      loaded = true
      return ollamaAnswer([{ content: 'Gate 7.' }])
    })
    const server = await startServer({ upstream: ollamaUpstream({ url: scripted.url }) })
    const ask = async (messages: readonly object[]) => {
      const text = JSON.stringify({ model: 'm', options: { num_gpu: 20 }, messages }, undefined, 1)
      await (await fetch(`${server.url}/api/chat`, { method: 'POST', body: text })).text()
      const sent = scripted.requests.filter(({ path }) => path === '/api/chat').at(-1)!
      const { options, truncate, shift } = sent.body as Readonly<Record<string, unknown>>
      return sent.text === text ? 'as it came' : { options, truncate, shift }
    }
    return ask
  }
  const long = (words: number) => ({ role: 'user', content: 'leaf bark '.repeat(words) })
  const others = [long(600), { role: 'assistant', content: 'Gate 7.' }, long(600)]

  it('goes on as it came, and so does the next one when Ollama has chosen the window', async () => {
    const ask = await startOllama(false)
    expect(await ask([question])).toBe('as it came')
    expect(await ask([...others, question])).toBe('as it came')
  })

  it('names the window that another program has loaded, so that the model is not loaded again', async () => {
    const ask = await startOllama(true)
    const options = { num_gpu: 20, num_ctx: 8192 }
    expect(await ask([question])).toEqual({ options, truncate: undefined, shift: undefined })
  })

  it('is not cut in silence while the window is unknown and the prompt is long', async () => {
    const ask = await startOllama(false)
    expect(await ask([...others, ...others, question])).toEqual({
      options: { num_gpu: 20 },
      truncate: false,
      shift: false,
    })
  })

  it('is cut by us, and never by Ollama, when it does not fit', async () => {
    const ask = await startOllama(false)
    await ask([question])
    expect(await ask([...Array(12).fill(others).flat(), question])).toEqual({
      options: { num_gpu: 20, num_ctx: 8192 },
      truncate: false,
      shift: false,
    })
  })
})

describe('the num_ctx of a client', () => {
  async function startOllama(loaded?: number, options: { readonly window?: number } = {}) {
    const models = loaded === undefined ? [] : [{ name: 'm:latest', context_length: loaded }]
    const scripted = await upstreamWith(({ path }) => {
      if (path === '/api/ps') return { status: 200, body: { models } }
      return path === '/api/chat'
        ? ollamaAnswer([{ content: 'Gate 7.' }])
        : { status: 404, body: {} }
    })
    const server = await startServer({
      upstream: ollamaUpstream({ url: scripted.url, ...options }),
    })
    const sent = () =>
      scripted.requests
        .filter(({ path }) => path === '/api/chat')
        .map(({ body }) => (body as { options?: object }).options)
    return { ...server, sent }
  }
  const ask = async (url: string, num_ctx: number) => {
    const response = await post(url, '/api/chat', {
      messages: [question],
      options: { num_ctx, temperature: 0.5 },
    })
    await response.text()
    return response.headers
  }

  it('counts', async () => {
    const { url, sent, served } = await startOllama()
    const headers = await ask(url, 32_768)
    expect(headers.get('x-throughline-window')).toBe('32768')
    expect(headers.get('x-throughline-window-from')).toBe('as a client asked')
    expect(sent()).toEqual([{ num_ctx: 32_768, temperature: 0.5 }])
    expect(served[0]).not.toHaveProperty('otherWindow.asked')
  })

  it('does not count where the server has loaded the model with another, and the log says so', async () => {
    const { url, sent, served } = await startOllama(4096)
    const headers = await ask(url, 32_768)
    expect(headers.get('x-throughline-window')).toBe('4096')
    expect(sent()).toEqual([{ num_ctx: 4096, temperature: 0.5 }])
    expect(served[0]!.otherWindow).toEqual({
      asked: 32_768,
      window: 4096,
      from: 'of the loaded model',
    })
  })

  it('does not count where a window was set', async () => {
    const { url, sent, served } = await startOllama(undefined, { window: 16_384 })
    await ask(url, 32_768)
    expect(sent()).toEqual([{ num_ctx: 16_384, temperature: 0.5 }])
    expect(served[0]!.otherWindow).toEqual({ asked: 32_768, window: 16_384, from: 'as set' })
  })

  it('is not sent on where it is the window that the server has told its clients', async () => {
    const { url, sent } = await startOllama()
    const headers = await ask(url, 1_000_000)
    expect(headers.get('x-throughline-window-from')).toBe(unknownWords)
    expect(sent()).toEqual([{ temperature: 0.5 }])
  })
})
