import { type HttpBindings, serve } from '@hono/node-server'
import { type MessageLike, openRound, parseMessage } from '@throughline/core/messages'

/** What a request to the upstream held. */
export interface Body {
  readonly messages: readonly (MessageLike & { readonly content?: unknown })[]
  readonly tools?: readonly unknown[]
  readonly stream?: boolean
  readonly [key: string]: unknown
}

/** What the upstream answers. `cut` ends a stream before it has said that it is finished. */
export interface FakeReply {
  readonly text?: readonly string[]
  readonly thinking?: string
  readonly calls?: readonly { readonly name: string; readonly arguments: object }[]
  readonly cut?: 'quietly' | 'reset' | 'error event' | 'never'
  readonly status?: number
  readonly error?: object
  readonly headers?: Record<string, string>
}

export interface FakeUpstream {
  readonly url: string
  readonly bodies: Body[]
  /** Settles when a client has left before the end of its stream. */
  readonly left: Promise<void>
  close(): Promise<void>
}

/** A real HTTP server that speaks /v1/chat/completions and, as providers do, refuses torn rounds of tools. */
export async function startUpstream(
  answer: (body: Body, call: number) => FakeReply,
): Promise<FakeUpstream> {
  const bodies: Body[] = []
  let leave = () => {}
  const left = new Promise<void>(resolve => {
    leave = resolve
  })
  const fetch = async (request: Request, env: unknown): Promise<Response> => {
    const body: Body = await request.json()
    bodies.push(body)
    const torn = tornRound(body.messages)
    const reply = torn ? { status: 400, error: { message: torn } } : answer(body, bodies.length)
    const { status, error = {}, headers = {} } = reply
    if (status) return Response.json({ error: { message: 'no', ...error } }, { status, headers })
    if (!body.stream) return Response.json(whole(reply))
    return new Response(
      streamed(reply, { leave, reset: () => (env as HttpBindings).outgoing.destroy() }),
      {
        headers: { 'content-type': 'text/event-stream' },
      },
    )
  }
  const server = serve({ fetch, port: 0, hostname: '127.0.0.1' })
  await new Promise(resolve => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  return {
    url: `http://127.0.0.1:${port}/v1`,
    bodies,
    left,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        if ('closeAllConnections' in server) server.closeAllConnections()
      }),
  }
}

const usage = {
  prompt_tokens: 11,
  completion_tokens: 7,
  prompt_tokens_details: { cached_tokens: 3 },
}

const toolCalls = ({ calls = [] }: FakeReply) =>
  calls.map(({ name, arguments: input }, index) => ({
    index,
    id: `call_${name}_${index}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }))

const reason = ({ calls }: FakeReply) => (calls ? 'tool_calls' : 'stop')

function whole(reply: FakeReply): object {
  const message = {
    role: 'assistant',
    content: reply.text?.join('') ?? '',
    tool_calls: toolCalls(reply),
  }
  return { id: 'x', choices: [{ index: 0, message, finish_reason: reason(reply) }], usage }
}

function streamed(
  reply: FakeReply,
  { leave, reset }: Record<'leave' | 'reset', () => void>,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream({
    start(controller) {
      const send = (data: object) =>
        controller.enqueue(encoder.encode(`data: ${JSON.stringify(data)}\n\n`))
      const delta = (part: object) => send({ id: 'x', choices: [{ index: 0, delta: part }] })
      if (reply.thinking) delta({ reasoning_content: reply.thinking })
      for (const text of reply.text ?? []) delta({ content: text })
      if (reply.calls) delta({ tool_calls: toolCalls(reply) })
      if (reply.cut === 'never') return
      // Late enough that what was sent before it arrives.
      if (reply.cut === 'reset') return void setTimeout(reset, 20)
      if (reply.cut === 'error event')
        send({ error: { message: 'overloaded', code: 'overloaded' } })
      if (!reply.cut)
        send({ id: 'x', choices: [{ index: 0, delta: {}, finish_reason: reason(reply) }], usage })
      if (!reply.cut) controller.enqueue(encoder.encode('data: [DONE]\n\n'))
      controller.close()
    },
    cancel: leave,
  })
}

/** Says what is wrong when a call and its results do not stand together. */
export function tornRound(messages: readonly MessageLike[]): string | undefined {
  let round = openRound([])
  const isOpen = () => round.unanswered().length > 0
  for (const [place, { role, calls, results }] of messages.map(parseMessage).entries()) {
    if (role !== 'tool') {
      if (isOpen()) return `a call before message ${place} has no result`
      round = openRound(calls)
      continue
    }
    if (results.some(result => round.take(result) < 0))
      return `the result at ${place} answers no call`
  }
  return isOpen() ? 'the last call has no result' : undefined
}
