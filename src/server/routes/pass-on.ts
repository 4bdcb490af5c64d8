import { ThroughlineError } from '../../log/error.ts'
import { inPieces } from '../exchange/in-pieces.ts'
import type { Gate } from '../guard/create-gate.ts'
import type { PassedAnswer, PassedRequest, Upstream } from '../upstream/upstream.ts'
import { tellsWindow, tellWindow } from './told-windows.ts'

export interface ToPassOn {
  readonly upstream: Upstream
  /** The window that clients are told. */
  readonly promise: number
  /** Whether clients may change the models of the upstream. */
  readonly manage: boolean
  readonly maxBodyBytes: number
  /** The replies that are being written. */
  readonly gate: Gate
}

/** The routes of the upstream that only ask. */
const asking: readonly (readonly [method: string, path: RegExp])[] = [
  ['GET', /^\/(?:api\/(?:version|tags|ps|status))?$/],
  ['POST', /^\/api\/(?:chat|generate|embed|embeddings|show)$/],
  ['GET', /^\/v1\/models(?:\/[^/]{1,200})?$/],
  [
    'POST',
    /^\/v1\/(?:chat\/completions|completions|embeddings|responses|messages|rerank|audio\/transcriptions)$/,
  ],
]

/** The routes that change its models. */
const managing: readonly (readonly [method: string, path: RegExp])[] = [
  ['POST', /^\/api\/(?:pull|push|create|copy|blobs\/[\w:.-]{1,200})$/],
  ['HEAD', /^\/api\/blobs\/[\w:.-]{1,200}$/],
  ['DELETE', /^\/api\/delete$/],
]

/**
 * Passes a request on to the upstream, and its answer back byte for byte; only the window is told as promised. `path`: as the
 * client wrote it, with its escapes.
 */
export async function passOn(request: Request, path: string, given: ToPassOn): Promise<Response> {
  const { upstream, promise, manage, maxBodyBytes, gate } = given
  const isHead = request.method === 'HEAD'
  const matches = ([method, pattern]: readonly [string, RegExp]) =>
    (method === request.method || (isHead && method === 'GET')) && pattern.test(path)
  if (managing.some(matches) && !manage)
    throw new ThroughlineError(
      'not_managed',
      'Clients may not change the models here: switch on "manage", or do it at the upstream.',
    )
  if (!asking.some(matches) && !managing.some(matches))
    throw new ThroughlineError('no_route', 'There is nothing at this address.')
  const passed: PassedRequest = {
    method: request.method,
    path: `${path}${new URL(request.url).search}`,
    headers: headersOf(request, path),
    signal: request.signal,
    ...(request.body && { body: atMost(request.body, maxBodyBytes) }),
  }
  if (request.method !== 'POST') return answer(await upstream.pass(passed), () => {})
  const leave = gate.enter()
  // However it ends: nobody may read the answer any more.
  request.signal.addEventListener('abort', leave, { once: true })
  try {
    return await answer(await upstream.pass(passed), leave)
  } catch (error) {
    leave()
    throw error
  }

  async function answer({ status, headers, body }: PassedAnswer, leave: () => void): Promise<Response> {
    const { 'content-length': _, ...rest } = headers
    if (isHead || status === 204 || status === 304) return new Response(null, { status, headers })
    if (status !== 200 || !tellsWindow(path))
      return new Response(toStream(body, leave), { status, headers: { ...rest, ...inPieces } })
    const text = await textOf(body, maxBodyBytes)
    leave()
    const encoding = headers['content-encoding']
    if (encoding !== undefined && encoding !== 'identity')
      return new Response(new Uint8Array(text), { status, headers: rest })
    return Response.json(tellWindow(path, parse(text), promise), { status, headers: rest })
  }
}

/** The path of a request as the client wrote it: a router shows it with its escapes undone. */
export const pathOf = ({ url }: Request): string => new URL(url).pathname

/** An answer that is told otherwise must be read, so it is not asked for packed. */
function headersOf({ headers }: Request, path: string): Readonly<Record<string, string>> {
  const { 'accept-encoding': accepted, ...rest } = Object.fromEntries(headers)
  return accepted === undefined || tellsWindow(path) ? rest : { ...rest, 'accept-encoding': accepted }
}

function parse(text: Buffer): unknown {
  try {
    return JSON.parse(text.toString('utf8'))
  } catch {
    return { error: 'The upstream gave no JSON.' }
  }
}

/** A stream that fails as soon as it has more bytes than it may have. */
export async function* atMost(body: AsyncIterable<Uint8Array>, most: number): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.byteLength
    if (bytes > most) throw tooLarge(most)
    yield chunk
  }
}

/** The whole body of a request. One that says that it is too large is refused before it is read. */
export async function bodyOf(request: Request, most: number): Promise<Buffer> {
  const told = request.headers.get('content-length')
  if (Number(told ?? 0) > most) throw tooLarge(most)
  if (told === null) return request.body ? textOf(request.body, most) : Buffer.alloc(0)
  // HTTP holds the client to the length that it told, so the body needs no stream, which costs more than all else here.
  const bytes = Buffer.from(await request.arrayBuffer())
  if (bytes.length > most) throw tooLarge(most)
  return bytes
}

const tooLarge = (most: number) =>
  new ThroughlineError('too_large', `The body has more than ${most} bytes: see "maxBody".`)

export async function textOf(body: AsyncIterable<Uint8Array>, most: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of atMost(body, most)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** A body that is read only as fast as the client reads. `onEnd` is called when no more of it will be. */
export function toStream(body: AsyncIterable<Uint8Array>, onEnd: () => void): ReadableStream<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await chunks.next()
          if (!done) return controller.enqueue(value)
          onEnd()
          controller.close()
        } catch (error) {
          onEnd()
          throw error
        }
      },
      async cancel() {
        onEnd()
        await chunks.return?.()
      },
    },
    { highWaterMark: 0 },
  )
}
