import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { z } from 'zod'
import { createLamp, type Lamp, LampBusyError, type LampOptions } from './lamp.ts'
import { pageFile, securityHeaders } from './page-files.ts'

export interface LampServerOptions extends Pick<LampOptions, 'store' | 'model'> {
  /** What the page says of the model. */
  readonly modelName: string
  readonly isRules: boolean
}

/**
 * The lamp's server.
 *
 * | request | answer |
 * |---|---|
 * | `GET /` and the page's files | the page |
 * | `GET /lamps/NAME` | the program, the conversation, the use of tokens |
 * | `POST /lamps/NAME` with `{"request":"…"}`, and `"as":"new"` or `"as":"follow-up"` if the person says so | the parts of the answer as they come, one line of JSON each |
 */
export function createLampServer({ store, model, modelName, isRules }: LampServerOptions): Server {
  const lamps = new Map<string, Lamp>()

  function lampOf(name: string): Lamp {
    const lamp = lamps.get(name) ?? createLamp({ store, model, name, isRules })
    if (!lamps.has(name) && lamps.size >= mostLamps)
      throw new Refusal(429, 'There are too many lamps.')
    lamps.set(name, lamp)
    return lamp
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    checkOrigin(request)
    const { pathname } = new URL(request.url ?? '/', 'http://lamp')
    const name = /^\/lamps\/([a-z0-9-]{1,40})$/.exec(pathname)?.[1]
    if (name !== undefined && request.method === 'POST') {
      const { text, as } = readRequest(await readBody(request))
      return stream(response, signal => lampOf(name).ask(text, { as, signal }))
    }
    if (request.method !== 'GET') throw new Refusal(405, 'Only GET and POST are answered.')
    if (name !== undefined) {
      const view = { ...(await lampOf(name).view()), modelName, isRules }
      return send(response, 200, 'application/json', JSON.stringify(view))
    }
    const file = pageFile(pathname)
    if (!file) throw new Refusal(404, 'There is no such page.')
    send(response, 200, file.type, file.content)
  }

  return createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      const status =
        error instanceof Refusal ? error.status : error instanceof LampBusyError ? 409 : 500
      const message = error instanceof Error ? error.message : String(error)
      if (response.headersSent) response.end()
      else send(response, status, 'application/json', JSON.stringify({ error: message }))
    })
  })
}

const mostLamps = 100
const mostBytes = 8192

class Refusal extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/**
 * A page of another site may make a browser send requests here, also under a name of its own that leads to this address.
 * Neither is answered: the Host must be an address or localhost, and a request that writes must come from this page.
 */
function checkOrigin({ headers, method }: IncomingMessage): void {
  const host = headers.host ?? ''
  if (!/^(?:localhost|[\d.]+|\[[\da-f:]+\])(?::\d+)?$/i.test(host))
    throw new Refusal(403, 'The lamp is reached by its address or as localhost.')
  if (method === 'GET') return
  if (headers.origin !== undefined && headers.origin !== `http://${host}`)
    throw new Refusal(403, 'Another site may not drive this lamp.')
  if (!headers['content-type']?.startsWith('application/json'))
    throw new Refusal(415, 'Send JSON: content-type application/json.')
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > mostBytes) throw new Refusal(413, `A request has at most ${mostBytes} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

const requestSchema = z.object({
  request: z.string().trim().min(1).max(1000),
  as: z.enum(['new', 'follow-up']).optional(),
})

function readRequest(body: string): {
  readonly text: string
  readonly as: 'new' | 'follow-up' | undefined
} {
  try {
    const { request, as } = requestSchema.parse(JSON.parse(body))
    return { text: request, as }
  } catch {
    throw new Refusal(400, 'Send {"request":"…"} with 1 to 1000 characters.')
  }
}

function send(
  response: ServerResponse,
  status: number,
  type: string,
  content: string | Buffer,
): void {
  response.writeHead(status, { ...securityHeaders, 'content-type': type }).end(content)
}

/** Sends parts as they come. A client that closes the connection stops the answer. */
async function stream(
  response: ServerResponse,
  ask: (signal: AbortSignal) => AsyncIterable<unknown>,
): Promise<void> {
  const stop = new AbortController()
  response.on('close', () => stop.abort())
  for await (const part of ask(stop.signal)) {
    if (!response.headersSent)
      response.writeHead(200, { ...securityHeaders, 'content-type': 'application/x-ndjson' })
    response.write(`${JSON.stringify(part)}\n`)
  }
  response.end()
}
