import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ollamaUpstream } from '@throughline/server/upstream/model-servers'
import type { Upstream } from '@throughline/server/upstream/upstream'

/** A request that a model was sent, and the pen of its answer. */
export interface PacedReply {
  /** The contents of the messages that were sent. */
  readonly sent: readonly string[]
  say(text: string): void
  think(text: string): void
  call(name: string, given: object): void
  end(): void
  /** Cuts the connection. */
  cut(): void
  /** Resolves when whoever asked has left, or the answer is whole. */
  readonly closed: Promise<void>
}

export interface PacedModel {
  readonly upstream: Upstream
  /** The next request, in the order in which they came. */
  next(): Promise<PacedReply>
  /** Answers every request from now on at once. */
  answerWith(answer: (reply: PacedReply) => void): void
  close(): Promise<void>
}

/** A model server that speaks as Ollama does and writes only what a test tells it to: nothing depends on time. */
export async function startPacedModel({ window = 4096, port = 0 } = {}): Promise<PacedModel> {
  const asked: PacedReply[] = []
  const waiting: ((reply: PacedReply) => void)[] = []
  let always: ((reply: PacedReply) => void) | undefined
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    if (request.url !== '/api/chat') {
      response.end(JSON.stringify({ models: [{ name: 'paced' }, { name: 'paced-large' }] }))
      return
    }
    const reply = toReply(response, JSON.parse(Buffer.concat(pieces).toString()) as Body)
    if (always) return always(reply)
    const taker = waiting.shift()
    if (taker) taker(reply)
    else asked.push(reply)
  })
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    upstream: ollamaUpstream({ url, window }),
    next: () => {
      const first = asked.shift()
      return first ? Promise.resolve(first) : new Promise(resolve => void waiting.push(resolve))
    },
    answerWith(answer) {
      always = answer
    },
    async close() {
      const closed = new Promise(resolve => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

interface Body {
  readonly messages: readonly { readonly content: string }[]
}

function toReply(response: ServerResponse, { messages }: Body): PacedReply {
  response.writeHead(200, { 'content-type': 'application/x-ndjson' })
  response.flushHeaders()
  const write = (message: object, more: object = { done: false }) =>
    void response.write(
      `${JSON.stringify({ model: 'paced', message: { role: 'assistant', content: '', ...message }, ...more })}\n`,
    )
  return {
    sent: messages.map(({ content }) => content),
    say: text => write({ content: text }),
    think: text => write({ thinking: text }),
    call: (name, given) => write({ tool_calls: [{ function: { name, arguments: given } }] }),
    end() {
      write({}, { done: true, done_reason: 'stop', prompt_eval_count: 700, eval_count: 30 })
      response.end()
    },
    cut: () => void response.socket?.destroy(),
    closed: new Promise(resolve => void response.on('close', () => resolve())),
  }
}
