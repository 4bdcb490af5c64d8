import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What the upstream does with one request. */
export type UpstreamAnswer =
  | {
      readonly status: number
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: unknown
    }
  | {
      /** Each is written on its own, when the one before has left. */
      readonly chunks: readonly (string | Uint8Array)[]
      readonly headers?: Readonly<Record<string, string>>
      /** `reset` cuts the connection, `stall` sends no more and waits for the client to leave. */
      readonly ending?: 'end' | 'reset' | 'stall'
    }
  | { readonly ending: 'reset' | 'stall' }

export interface UpstreamRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  /** The client's port: the same for two requests that share a connection. */
  readonly port: number | undefined
  /** The body as it came. */
  readonly text: string
  /** Parsed, if it is JSON. */
  readonly body: unknown
  /** How the answer ended: `whole`, `reset` as the script said, or the client `left` before its end. */
  readonly ended: Promise<'whole' | 'reset' | 'left'>
  readonly state: () => 'open' | 'whole' | 'reset' | 'left'
}

export interface Upstream {
  readonly url: string
  readonly requests: readonly UpstreamRequest[]
  close(): Promise<void>
}

/** By place, for the n-th request; or a function that chooses by what was asked. More requests than answers get a 500. */
export type UpstreamScript =
  | readonly UpstreamAnswer[]
  | ((request: UpstreamRequest, at: number) => UpstreamAnswer | undefined)

/** A real HTTP server that answers by a script, and remembers the requests. */
export async function startUpstream(script: UpstreamScript): Promise<Upstream> {
  const requests: UpstreamRequest[] = []
  const server = createServer(async (incoming, response) => {
    const request = await readRequest(incoming, response).catch(() => undefined)
    // The client left before it had asked.
    if (!request) return
    const at = requests.push(request) - 1
    const answer = typeof script === 'function' ? script(request, at) : script[at]
    await write(
      response,
      answer ?? { status: 500, body: { error: `no answer ${at} in the script` } },
    )
  })
  // A machine under load must not close what is about to be used.
  server.keepAliveTimeout = 60_000
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async close() {
      const closed = new Promise(resolve => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

/** The lines of Ollama's `/api/chat`, the last one `done`. */
export function ollamaAnswer(
  messages: readonly Readonly<Record<string, unknown>>[],
  end: Readonly<Record<string, unknown>> = {
    done_reason: 'stop',
    prompt_eval_count: 7,
    eval_count: 3,
  },
): { chunks: string[]; headers: Record<string, string> } {
  const lines = [
    ...messages.map(message => ({
      message: { role: 'assistant', content: '', ...message },
      done: false,
    })),
    { message: { role: 'assistant', content: '' }, done: true, ...end },
  ]
  return {
    chunks: lines.map(line => `${JSON.stringify({ model: 'scripted', ...line })}\n`),
    headers: { 'content-type': 'application/x-ndjson' },
  }
}

/** The events of OpenAI's chat completions: deltas, the finish, the usage, `[DONE]`. */
export function openaiAnswer(
  deltas: readonly Readonly<Record<string, unknown>>[],
  {
    finish = 'stop',
    usage = { prompt_tokens: 7, completion_tokens: 3 },
  }: { finish?: string; usage?: Readonly<Record<string, unknown>> } = {},
): { chunks: string[]; headers: Record<string, string> } {
  const choices = [
    ...deltas.map(delta => [{ index: 0, delta, finish_reason: null }]),
    [{ index: 0, delta: {}, finish_reason: finish }],
  ]
  const events = [...choices.map(choices => ({ choices })), { choices: [], usage }]
  const chunks = events.map(event =>
    sse({ id: 'scripted', object: 'chat.completion.chunk', model: 'scripted', ...event }),
  )
  return {
    chunks: [...chunks, 'data: [DONE]\n\n'],
    headers: { 'content-type': 'text/event-stream' },
  }
}

export function sse(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`
}

const wasReset = new WeakSet<ServerResponse>()

async function readRequest(
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<UpstreamRequest> {
  let state: ReturnType<UpstreamRequest['state']> = 'open'
  const ended = new Promise<'whole' | 'reset' | 'left'>(resolve => {
    response.on('close', () => {
      const end = response.writableFinished ? 'whole' : wasReset.has(response) ? 'reset' : 'left'
      state = end
      resolve(end)
    })
  })
  const pieces: Buffer[] = []
  for await (const piece of incoming) pieces.push(piece)
  const text = Buffer.concat(pieces).toString()
  return {
    method: incoming.method ?? '',
    path: incoming.url ?? '',
    headers: incoming.headers,
    port: incoming.socket.remotePort,
    text,
    body: parse(text),
    ended,
    state: () => state,
  }
}

async function write(response: ServerResponse, answer: UpstreamAnswer): Promise<void> {
  if ('status' in answer) {
    const isText = typeof answer.body === 'string'
    const type = { 'content-type': isText ? 'text/plain' : 'application/json' }
    response.writeHead(answer.status, { ...type, ...answer.headers })
    response.end(isText ? answer.body : JSON.stringify(answer.body ?? {}))
    return
  }
  if ('chunks' in answer) {
    response.writeHead(200, answer.headers)
    for (const chunk of answer.chunks)
      await new Promise<unknown>(resolve => response.write(chunk, resolve))
  }
  if (answer.ending === 'stall') return
  if (answer.ending !== 'reset') return void response.end()
  wasReset.add(response)
  response.socket?.resetAndDestroy()
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
