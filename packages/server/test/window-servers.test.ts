import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { upstreamWith } from '@throughline/models/fixtures'
import {
  openaiAnswer,
  type UpstreamAnswer,
  type UpstreamRequest,
} from '@throughline/test-tools/scripted-upstream'
import OpenAI from 'openai'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readConfig } from '../src/config/read-config.ts'
import { startServer } from '../src/serve/start-server.ts'

/** What a model server tells of itself, and how it refuses. The window is always 8,192. */
interface ServedAs {
  /** What stands between the address and `/v1`. */
  readonly base?: string
  /** What it answers beside chats, by path. */
  readonly facts: Readonly<Record<string, unknown>>
  /** What it answers at any other path. */
  readonly otherwise?: UpstreamAnswer
  readonly refuse: (prompt: number) => UpstreamAnswer
  /** What the start says of the model. */
  readonly line: string
  /** Whether the window is known before the first request. */
  readonly isKnown: boolean
}

const window = 8192
const model = 'some/model-8b'

const servers: Readonly<Record<string, ServedAs>> = {
  Groq: {
    base: '/openai',
    facts: {
      '/openai/v1/models': {
        object: 'list',
        data: [{ id: model, active: true, context_window: window }],
      },
    },
    refuse: () => ({
      status: 400,
      body: {
        error: {
          message: 'Please reduce the length of the messages or completion.',
          type: 'invalid_request_error',
          param: 'messages',
          code: 'context_length_exceeded',
        },
      },
    }),
    line: `${model}: 8,192, told by the server`,
    isKnown: true,
  },
  Together: {
    facts: { '/v1/models': [{ id: model, type: 'chat', context_length: window }] },
    refuse: prompt => ({
      status: 422,
      body: {
        error: {
          message: `Input validation error: \`inputs\` tokens + \`max_new_tokens\` must be <= ${window + 1}. Given: ${prompt} \`inputs\` tokens and 512 \`max_new_tokens\``,
          type: 'invalid_request_error',
        },
      },
    }),
    line: `${model}: 8,192, told by the server`,
    isKnown: true,
  },
  OpenRouter: {
    base: '/api',
    facts: {
      '/api/v1/models': { data: [{ id: model, context_length: window, top_provider: {} }] },
    },
    refuse: prompt => ({
      status: 400,
      body: {
        error: {
          message: `This endpoint's maximum context length is ${window} tokens. However, you requested about ${prompt} tokens (${prompt} of text input). Please reduce the length of either one.`,
          code: 400,
        },
      },
    }),
    line: `${model}: 8,192, told by the server`,
    isKnown: true,
  },
  vLLM: {
    facts: {
      '/v1/models': {
        object: 'list',
        data: [{ id: model, owned_by: 'vllm', max_model_len: window }],
      },
    },
    refuse: prompt => ({
      status: 400,
      body: {
        error: {
          message: `This model's maximum context length is ${window} tokens. However, your request has ${prompt} input tokens. Please reduce the length of the input messages.`,
          type: 'BadRequestError',
          code: 400,
        },
      },
    }),
    line: `${model}: 8,192, told by the server`,
    isKnown: true,
  },
  'LM Studio': {
    facts: {
      '/v1/models': { object: 'list', data: [{ id: model, object: 'model' }, { id: 'another' }] },
      '/api/v0/models': {
        data: [
          {
            id: model,
            state: 'loaded',
            max_context_length: 131_072,
            loaded_context_length: window,
          },
        ],
      },
    },
    otherwise: { status: 200, body: { error: 'Unexpected endpoint or method.' } },
    refuse: prompt => ({
      status: 400,
      body: {
        error: `Trying to keep the first ${prompt} tokens when context the overflows. However, the model is loaded with context length of only ${window} tokens, which is not enough.`,
      },
    }),
    line: `${model}: 8,192, of the loaded model`,
    isKnown: true,
  },
  'llama.cpp': {
    facts: {
      '/v1/models': {
        object: 'list',
        data: [{ id: model, meta: { n_ctx: window, n_ctx_train: 131_072 } }],
      },
    },
    refuse: prompt => ({
      status: 400,
      body: {
        error: {
          code: 400,
          message: `request (${prompt} tokens) exceeds the available context size (${window} tokens), try increasing it`,
          type: 'exceed_context_size_error',
          n_prompt_tokens: prompt,
          n_ctx: window,
        },
      },
    }),
    line: `${model}: 8,192, told by the server`,
    isKnown: true,
  },
  'a provider that tells no window': {
    facts: {
      '/v1/models': { object: 'list', data: [{ id: model, object: 'model', owned_by: 'system' }] },
    },
    refuse: prompt => ({
      status: 400,
      body: {
        error: {
          message: `This model's maximum context length is ${window} tokens. However, your messages resulted in ${prompt} tokens. Please reduce the length of the messages.`,
          type: 'invalid_request_error',
          param: 'messages',
          code: 'context_length_exceeded',
        },
      },
    }),
    line: `${model}: window unknown: nothing is cut`,
    isKnown: false,
  },
}

const tokensIn = ({ text }: UpstreamRequest) => Math.ceil(text.length / 4)

/** The server as `throughline serve --upstream URL` starts it, with a model server behind it that counts as it says. */
async function serveBefore({ base = '', facts, otherwise, refuse }: ServedAs) {
  const scripted = await upstreamWith(request => {
    const { path, body } = request
    if (path in facts) return { status: 200, body: facts[path] }
    if (path !== `${base}/v1/chat/completions`)
      return otherwise ?? { status: 404, body: { error: 'not found' } }
    const prompt = tokensIn(request)
    if (prompt > window) return refuse(prompt)
    const usage = { prompt_tokens: prompt, completion_tokens: 3 }
    if ((body as { stream?: boolean }).stream)
      return openaiAnswer([{ content: 'Gate 7.' }], { usage })
    const message = { role: 'assistant', content: 'Gate 7.' }
    return {
      status: 200,
      body: {
        id: 'x',
        object: 'chat.completion',
        choices: [{ index: 0, message, finish_reason: 'stop' }],
        usage,
      },
    }
  })
  const folder = mkdtempSync(join(tmpdir(), 'throughline-window-'))
  const flags = {
    upstream: `${scripted.url}${base}/v1`,
    db: join(folder, 'log.db'),
    port: '0',
    logLevel: 'silent',
  }
  const server = await startServer(readConfig({ flags }).config)
  onTestFinished(async () => {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  const chats = () => scripted.requests.filter(({ path }) => path.endsWith('/chat/completions'))
  return {
    server,
    chats,
    client: new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'sk-client', maxRetries: 0 }),
  }
}

/** About 12,000 tokens. */
const messages = [
  { role: 'system' as const, content: 'You know the gates.' },
  ...Array.from({ length: 60 }, (_, n) => ({
    role: n % 2 === 0 ? ('user' as const) : ('assistant' as const),
    content: `Message ${n}. ${`The lock of gate ${n} is green today. `.repeat(20)}`,
  })),
  { role: 'user' as const, content: 'And which gate is open?' },
]

describe.each(Object.entries(servers))('behind the server, %s', (_, served) => {
  it('answers the client library of OpenAI, whole and streamed, short and long', async () => {
    const { client, chats, server } = await serveBefore(served)
    expect(await server.windows()).toContain(served.line)
    const short = messages.slice(0, 10)
    const whole = await client.chat.completions.create({ model, messages: short })
    expect(whole.choices[0]!.message.content).toBe('Gate 7.')
    expect(JSON.parse(chats()[0]!.text)).toEqual({ model, messages: short })
    const long = await client.chat.completions.create({ model, messages })
    expect(long.choices[0]!.message.content).toBe('Gate 7.')
    const stream = await client.chat.completions.create({ model, messages, stream: true })
    let text = ''
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
    expect(text).toBe('Gate 7.')
    const refused = chats().filter(request => tokensIn(request) > window)
    expect(refused).toHaveLength(served.isKnown ? 0 : 1)
    const last = JSON.parse(chats().at(-1)!.text) as { messages: object[] }
    expect(last.messages[0]).toEqual(messages[0])
    expect(last.messages.at(-1)).toEqual(messages.at(-1))
  })
})
