import { toReadable } from '@throughline/chat/turn'
import { BadRequestError, ThroughlineError } from '@throughline/core/errors'
import { parseBody } from '@throughline/core/fields'
import { attempt, isObject } from '@throughline/core/values'
import { inPieces } from '../exchange/reply-writer.ts'
import type { PassedAnswer, PassedRequest, Upstream } from '../upstream/upstream.ts'
import { answerListing, tellsWindow, tellWindow } from './listings.ts'
import { atMost, bodyOf, textOf, unpackerOf } from './read-body.ts'
import type { ServerParts } from './server-parts.ts'

const asking: readonly (readonly [method: string, path: RegExp])[] = [
  ['GET', /^\/(?:api\/(?:version|tags|ps|status))?$/],
  ['POST', /^\/api\/(?:chat|generate|embed|embeddings|show)$/],
  ['GET', /^\/v1(?:beta)?\/models(?:\/[^/]{1,200})?$/],
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

/** Passes a request on, and its answer back byte for byte but for the window. `path`: with the escapes of the client. */
export async function passOn(
  request: Request,
  path: string,
  parts: ServerParts,
): Promise<Response> {
  const { upstreams, manage, maxBodyBytes, gate } = parts
  const tellsOurs = !parts.options.shadow && tellsWindow(path)
  const tell = (facts: unknown) =>
    tellsOurs ? tellWindow(path, facts, parts.advertisedWindow) : facts
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
  if (made !== undefined) return isHead ? new Response(null) : toAnswer(made, tell)
  // Only routes of Ollama have requests that name no model.
  const { upstream } =
    model === undefined
      ? (upstreams.all.find(one => one.upstream.kind === 'ollama') ?? upstreams.all[0]!)
      : upstreams.of(model)
  const passed: PassedRequest = {
    method: request.method,
    path: `${path}${new URL(request.url).search}`,
    headers: headersOf(request, tellsOurs),
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

  async function answer(
    { status, headers, body }: PassedAnswer,
    leave: () => void,
  ): Promise<Response> {
    const { 'content-length': _, ...rest } = headers
    if (isHead || hasNoBody(status)) return new Response(null, { status, headers })
    if (status !== 200 || !tellsOurs)
      return new Response(toStream(body, leave), { status, headers: { ...rest, ...inPieces } })
    const text = await textOf(body, maxBodyBytes)
    leave()
    const encoding = headers['content-encoding']
    if (encoding !== undefined && encoding !== 'identity')
      return new Response(new Uint8Array(text), { status, headers: rest })
    const noJson: unknown = { error: 'The upstream gave no JSON.' }
    const facts = attempt(() => JSON.parse(text.toString('utf8')), noJson)
    return Response.json(tell(facts), { status, headers: rest })
  }
}

/** What is passed on of a request, and the model that it names. A body is read only where its model decides something. */
async function readModel(
  request: Request,
  path: string,
  { upstreams, maxBodyBytes, json }: ServerParts,
): Promise<{ readonly body?: PassedRequest['body']; readonly model?: string }> {
  const [, id] = /^\/v1(?:beta)?\/models\/([^/]+)$/.exec(path) ?? []
  if (id !== undefined) return { model: attempt(() => decodeURIComponent(id), id) }
  if (!request.body) return {}
  const isDecided = upstreams.all.length === 1 && path !== '/api/show'
  if (isDecided || path.startsWith('/api/blobs/'))
    return { body: atMost(request.body, maxBodyBytes) }
  const unpack = unpackerOf(request)
  const body = await bodyOf(request, maxBodyBytes)
  const type = request.headers.get('content-type') ?? ''
  const fields = type.startsWith('multipart/form-data')
    ? await fieldsOf(body, type)
    : parseBody(await unpack(body, maxBodyBytes), json)
  // Ollama's older name of the field, and the one of the model that is copied.
  const model = isObject(fields) ? (fields.model ?? fields.name ?? fields.source) : undefined
  if (typeof model === 'string' && model !== '') return { body, model }
  throw new BadRequestError('Name a model: it decides which upstream answers.', 'model')
}

async function fieldsOf(body: Buffer, type: string): Promise<object> {
  const form = new Response(new Uint8Array(body), { headers: { 'content-type': type } })
  return form.formData().then(Object.fromEntries, () => {
    throw new BadRequestError('The form cannot be read.')
  })
}

const toAnswer = (made: object | string, tell: (facts: unknown) => unknown): Response =>
  typeof made === 'string' ? new Response(made) : Response.json(tell(made))

/** The path of a request as the client wrote it: a router shows it with its escapes undone. */
export const pathOf = ({ url }: Request): string => new URL(url).pathname

/** An answer that is told otherwise must be read, so it is not asked for packed. */
function headersOf({ headers }: Request, tellsOurs: boolean): Readonly<Record<string, string>> {
  const { 'accept-encoding': accepted, ...rest } = Object.fromEntries(headers)
  return accepted === undefined || tellsOurs ? rest : { ...rest, 'accept-encoding': accepted }
}

/** Has an upstream of the client's form answer a body that was read already. */
export async function passBody(upstream: Upstream, request: Request, path: string, body: Buffer) {
  const { 'content-encoding': _, ...sent } = Object.fromEntries(request.headers)
  const passed = {
    method: 'POST',
    path: `${path}${new URL(request.url).search}`,
    headers: sent,
    body,
  }
  const { status, ...answer } = await upstream.pass({ ...passed, signal: request.signal })
  const { 'content-length': __, ...headers } = answer.headers
  return new Response(hasNoBody(status) ? null : toStream(answer.body), { status, headers })
}

/** The statuses with which an answer may have no body. */
const hasNoBody = (status: number): boolean => status === 204 || status === 205 || status === 304

/** A body that is read only as fast as the client reads. `onEnd` is called when no more of it will be. */
export const toStream = (
  body: AsyncIterable<Uint8Array>,
  onEnd?: () => void,
): ReadableStream<Uint8Array> => toReadable(body[Symbol.asyncIterator](), chunk => chunk, { onEnd })
