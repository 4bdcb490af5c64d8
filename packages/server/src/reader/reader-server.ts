import { textWriter, toReadable } from '@throughline/chat/turn'
import { InvalidOptionError } from '@throughline/core/errors'
import { type Fields, isFields, readBody, readText, refuse } from '@throughline/core/fields'
import { parseJson } from '@throughline/core/values'
import {
  type Adapter,
  generateAdapter,
  ollamaAdapter,
  openaiAdapter,
  type ReplyEnd,
  type ReplyStream,
} from '@throughline/models/dialects'
import { type Model, ModelError, type ModelPart } from '@throughline/models/model'
import { type ReaderOptions, reader } from '@throughline/models/reader'
import { toFault } from '../to-fault.ts'
import { ollamaVersion, toLoaded, toOpenAiModel, toShown, toTag } from './model-facts.ts'

/** What `onRequest` gets beside the body. */
export interface SeenRequest {
  /** `/api/chat`, `/v1/chat/completions`, … */
  readonly path: string
  /** Aborted when the client leaves before the end of the answer. */
  readonly signal: AbortSignal
}

/** Options of `readerServer`. */
export interface ReaderServerOptions
  extends Pick<ReaderOptions, 'window' | 'count' | 'answers' | 'isStandIn' | 'delayMs' | 'wait'> {
  /** The names of the served models; each also works with `:latest`. Default `['reader']`. */
  readonly models?: readonly string[]
  /** Called with every parsed body before it is answered. */
  readonly onRequest?: (body: unknown, seen: SeenRequest) => void
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

/**
 * Serves the reader for tests and demonstrations, with the routes of Ollama and `/v1/chat/completions`. Works in any server
 * that takes a `fetch` handler.
 *
 * @example
 * const server = readerServer({ window: 2048 })
 * const response = await server(new Request('http://reader/api/version'))
 */
export function readerServer(
  settings: ReaderServerOptions = {},
): (request: Request) => Promise<Response> {
  const {
    models = ['reader'],
    window = 4096,
    onRequest = () => {},
    now = Date.now,
    ...options
  } = settings
  if (models.length === 0) throw new InvalidOptionError('models', 'must name at least one')
  const teller = { family: 'reader', began: now() }
  const listed = models.map(name => ({
    name: name.includes(':') ? name : `${name}:latest`,
    window,
  }))
  let replies = 0

  const chat = (adapter: Adapter): Handle => {
    return async (body, signal, leave) => {
      const request = adapter.read(body)
      const { model: name, system, messages, tools, settings, hints } = request
      // Ollama's clients may ask for less than the window, and Ollama cuts what is too long.
      const limits = adapter.name === 'ollama' ? limitsOf(readBody(body), window) : { window }
      const model = openReader(name, models, { ...options, ...limits })
      await model.window()
      const start = { id: String(++replies), time: now(), model: name, request, promptTokens: 0 }
      const end = (reply: readonly ModelPart[]) => endOf(reply, now() - start.time)
      // Without messages the request only loads or unloads the model.
      if (hints.load !== undefined) return Response.json(adapter.whole(start, end([])))
      const prompt =
        system === undefined ? messages : [{ role: 'system', content: system }, ...messages]
      const parts = model.stream({ messages: prompt, tools, settings, signal })
      if (request.stream) return stream(adapter, write(adapter.stream(start), parts, end), leave)
      const reply: ModelPart[] = []
      for await (const part of parts) reply.push(part)
      return Response.json(adapter.whole(start, end(reply)))
    }
  }

  const routes: Readonly<Record<string, Handle>> = {
    'GET /': () => new Response('Ollama is running'),
    'GET /api/version': () => Response.json({ version: `${ollamaVersion}-reader` }),
    'GET /api/tags': () => Response.json({ models: listed.map(one => toTag(one, teller)) }),
    'GET /api/ps': () => Response.json({ models: listed.map(one => toLoaded(one, teller)) }),
    'GET /v1/models': () =>
      Response.json({ object: 'list', data: models.map(name => toOpenAiModel({ name }, teller)) }),
    'POST /api/chat': chat(ollamaAdapter),
    'POST /api/generate': chat(generateAdapter),
    'POST /v1/chat/completions': chat(openaiAdapter),
    async 'POST /api/show'(body) {
      // The older name of the field is still in use.
      const { name, model = name } = readBody(body)
      await openReader(readText(model, 'model'), models, { window }).window()
      return Response.json(toShown({ name: 'reader', window }, teller))
    },
  }

  return async request => {
    const { pathname: path } = new URL(request.url)
    // HEAD is answered like GET, without a body.
    const method = request.method === 'HEAD' ? 'GET' : request.method
    const handle = routes[`${method} ${path}`]
    if (handle === undefined) return new Response('404 page not found', { status: 404 })
    const left = new AbortController()
    const signal = AbortSignal.any([request.signal, left.signal])
    const body = method === 'POST' ? parseJson(await request.text()) : undefined
    onRequest(body, { path, signal })
    try {
      const response = await handle(body, signal, () => left.abort())
      return request.method === 'HEAD' ? new Response(null, response) : response
    } catch (error) {
      // The client has left: the status is only for logs.
      if (signal.aborted) return new Response(null, { status: 499 })
      const adapter = path.startsWith('/v1/') ? openaiAdapter : ollamaAdapter
      const fault = adapter.fault(toFault(error), '')
      return Response.json(fault.body, { status: fault.status })
    }
  }
}

/** Answers one route. `leave` is called if the client stops reading, and stops the reader. */
type Handle = (
  body: unknown,
  signal: AbortSignal,
  leave: () => void,
) => Response | Promise<Response>

function limitsOf(
  { options, truncate }: Fields,
  window: number,
): Pick<ReaderOptions, 'window' | 'overflow'> {
  const wishedWindow = isFields(options) ? options.num_ctx : undefined
  const isAsked = typeof wishedWindow === 'number' && wishedWindow > 0
  if (isAsked && wishedWindow < 1) refuse('options.num_ctx', 'must be 1 or more')
  return {
    window: isAsked ? Math.min(window, Math.floor(wishedWindow)) : window,
    overflow: truncate === false ? 'error' : 'cut',
  }
}

async function* write(
  stream: ReplyStream,
  parts: AsyncIterable<ModelPart>,
  end: (reply: readonly ModelPart[]) => ReplyEnd,
): AsyncGenerator<string> {
  const reply: ModelPart[] = []
  for await (const part of parts) {
    const opening = reply.length === 0 ? stream.start() : ''
    reply.push(part)
    if (part.type === 'tool-call') yield opening + stream.calls([part])
    else if (part.type === 'end') yield opening + stream.end(end(reply))
    else yield opening + stream.text(part.text)
  }
}

/** The end of a reply. All time is counted as writing. */
function endOf(reply: readonly ModelPart[], ms: number): ReplyEnd {
  const end = reply.at(-1)
  const duration = ms * 1_000_000
  return {
    ...(end?.type === 'end' ? end : { reason: 'stop', usage: {} }),
    text: reply.map(part => (part.type === 'text-delta' ? part.text : '')).join(''),
    thinking: '',
    calls: reply.filter(part => part.type === 'tool-call'),
    details: {
      total_duration: duration,
      eval_duration: duration,
      load_duration: 0,
      prompt_eval_duration: 0,
    },
  }
}

/** Streams texts as they come. The first is waited for, so that a refusal becomes a status and not a broken stream. */
async function stream({ streamType }: Adapter, texts: AsyncGenerator<string>, leave: () => void) {
  const first = await texts.next()
  let isWhole = false
  async function* all() {
    if (!first.done) yield first.value
    yield* texts
    isWhole = true
  }
  const body = toReadable(all(), textWriter(), { onEnd: () => isWhole || leave() })
  return new Response(body, { headers: { 'content-type': streamType } })
}

/** Opens the reader under one of its names, each also with `:latest`. One that it does not have fails when it is asked. */
export function openReader(
  name: string,
  models: readonly string[],
  options: Omit<ReaderOptions, 'name'>,
): Model {
  if (models.some(model => name === model || name === `${model}:latest`))
    return reader({ ...options, name })
  const fail = async (): Promise<never> => {
    const message = `model '${name.slice(0, 100)}' not found: the built-in reader has '${models.join("', '")}'`
    throw new ModelError('model_not_found', message, { status: 404 })
  }
  return { name, window: fail, stream: () => ({ [Symbol.asyncIterator]: () => ({ next: fail }) }) }
}
