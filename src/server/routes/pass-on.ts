import { ThroughlineError } from '../../log/error.ts'
import { toReadable } from '../../turn/stream/to-readable.ts'
import { inPieces } from '../exchange/in-pieces.ts'
import type { PassedAnswer, PassedRequest, Upstream } from '../upstream/upstream.ts'
import type { NamedUpstream, Upstreams } from '../upstream/upstreams.ts'
import { answerListing } from './listings.ts'
import { readModel } from './passed-model.ts'
import { textOf } from './read-body.ts'
import type { ServerParts } from './server-parts.ts'
import { tellsWindow, tellWindow } from './tell-window.ts'

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
export async function passOn(request: Request, path: string, parts: ServerParts): Promise<Response> {
  const { upstreams, promise, manage, maxBodyBytes, gate } = parts
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
  const { signal } = request
  const { body, model } = await readModel(request, path, parts)
  const made = await answerListing(path, model, parts, signal)
  if (made !== undefined) return isHead ? new Response(null) : toAnswer(made, path, promise)
  const { upstream } = model === undefined ? forNoModel(upstreams) : upstreams.of(model)
  const passed: PassedRequest = {
    method: request.method,
    path: `${path}${new URL(request.url).search}`,
    headers: headersOf(request, path),
    signal,
    body,
  }
  if (request.method !== 'POST') return answer(await upstream.pass(passed), () => {})
  const leave = gate.enter()
  // Also if the client leaves before the answer is read.
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

const toAnswer = (made: object | string, path: string, promise: number): Response =>
  typeof made === 'string' ? new Response(made) : Response.json(tellWindow(path, made, promise))

/** Where a request goes that names no model: to Ollama if it is there, because only its routes have such requests. */
function forNoModel({ all }: Upstreams): NamedUpstream {
  return all.find(({ upstream }) => upstream.kind === 'ollama') ?? all[0]!
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

/** Has an upstream of the client's form answer a body that was read already. */
export async function passBody(upstream: Upstream, request: Request, path: string, body: Buffer) {
  const { 'content-encoding': _, ...sent } = Object.fromEntries(request.headers)
  const passed = { method: 'POST', path: `${path}${new URL(request.url).search}`, headers: sent, body }
  const { status, ...answer } = await upstream.pass({ ...passed, signal: request.signal })
  const { 'content-length': __, ...headers } = answer.headers
  return new Response(toStream(answer.body), { status, headers })
}

/** A body that is read only as fast as the client reads. `onEnd` is called when no more of it will be. */
export const toStream = (body: AsyncIterable<Uint8Array>, onEnd?: () => void): ReadableStream<Uint8Array> =>
  toReadable(body[Symbol.asyncIterator](), chunk => chunk, { onEnd })
