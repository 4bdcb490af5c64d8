import { type Fields, isFields } from '@throughline/core/fields'
import { parseJsonObject } from '@throughline/core/values'
import { ModelError } from '@throughline/models/model'
import type { ListedModel } from '@throughline/models/wire'
import {
  ollamaVersion,
  type Teller,
  toGeminiModel,
  toLoaded,
  toOpenAiModel,
  toShown,
  toTag,
} from '../reader/model-facts.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { eachThatAnswers, type NamedUpstream } from '../upstream/upstreams.ts'
import { textOf } from './read-body.ts'
import type { ServerParts } from './server-parts.ts'

/** Answers questions about models where the upstream cannot, or where there are several. Undefined if the request is passed on. */
export async function answerListing(
  path: string,
  model: string | undefined,
  parts: ServerParts,
  signal: AbortSignal,
): Promise<object | string | undefined> {
  const { upstreams, began } = parts
  const [only, ...others] = upstreams.all
  // A single upstream tells of its models in the form that its own clients know.
  if (only && others.length === 0 && (speaks(only.upstream, path) || path.startsWith('/v1/')))
    return undefined
  if (path === '/') return 'Ollama is running'
  if (path === '/api/version') return { version: `${ollamaVersion}-throughline` }
  const rows = listings[path]
  if (rows) {
    const listed = await eachThatAnswers(upstreams.all, one =>
      rowsOf(path, rows, one, parts, signal),
    )
    return { ...rows.around, [rows.list]: listed }
  }
  const toOne = ones.find(([begin]) => path.startsWith(begin))?.[1]
  if (toOne === undefined || model === undefined) return undefined
  const named = upstreams.of(model)
  if (speaks(named.upstream, path)) return undefined
  const listed = (await named.upstream.models(signal)).find(({ name }) => name === model)
  if (listed) return toOne(listed, { family: named.name, began })
  throw new ModelError('model_not_found', `model '${model.slice(0, 100)}' not found`, {
    status: 404,
  })
}

/** What is told of one model, by the beginning of the address. */
const ones = [
  ['/api/show', toShown],
  ['/v1/models/', toOpenAiModel],
  ['/v1beta/models/', toGeminiModel],
] as const

interface Listing {
  /** The field that holds the rows, the one that names a model in them, and what stands beside them. */
  readonly list: string
  readonly name: string
  readonly around: object
  readonly toRow: (model: ListedModel, teller: Teller) => object
}

const listings: Readonly<Record<string, Listing>> = {
  '/api/tags': { list: 'models', name: 'name', around: {}, toRow: toTag },
  '/api/ps': { list: 'models', name: 'name', around: {}, toRow: toLoaded },
  '/v1beta/models': { list: 'models', name: 'name', around: {}, toRow: toGeminiModel },
  '/v1/models': { list: 'data', name: 'id', around: { object: 'list' }, toRow: toOpenAiModel },
}

/** Whether an upstream answers a route itself. */
function speaks({ kind }: Upstream, path: string): boolean {
  if (path.startsWith('/v1beta/')) return false
  const isOllama = kind === 'ollama' || kind === 'reader'
  return isOllama || (kind === 'openai' && path.startsWith('/v1/'))
}

/** The rows of one upstream, without models that another one takes. */
async function rowsOf(
  path: string,
  { list, name, toRow }: Listing,
  one: NamedUpstream,
  { upstreams, began, maxBodyBytes }: ServerParts,
  signal: AbortSignal,
): Promise<readonly object[]> {
  const { upstream } = one
  const isHere = (model: unknown) => typeof model === 'string' && upstreams.find(model) === one
  if (!speaks(upstream, path)) {
    const listed = (await upstream.models(signal)).filter(model => isHere(model.name))
    return listed.map(model => toRow(model, { family: one.name, began }))
  }
  const { status, body } = await upstream.pass({ method: 'GET', path, headers: {}, signal })
  const text = await textOf(body, maxBodyBytes)
  if (status !== 200)
    throw new ModelError(
      'model_unavailable',
      `The upstream "${one.name}" lists no models (${status}).`,
    )
  const rows = parseJsonObject(text.toString('utf8'))?.[list]
  return (Array.isArray(rows) ? rows : []).filter(row => isHere(row?.[name]))
}

/** Answers of the upstream with the window that clients are told: the promised one, so that they send everything. */
export function tellWindow(path: string, body: unknown, advertisedWindow: number): unknown {
  if (!isFields(body)) return body
  switch (path) {
    case '/api/show':
      return showWithWindow(body, advertisedWindow)
    case '/api/ps':
      return eachOf(body, 'models', model => ({ ...model, context_length: advertisedWindow }))
    case '/v1/models':
      return eachOf(body, 'data', model => modelWithWindow(model, advertisedWindow))
    case '/v1beta/models':
      return eachOf(body, 'models', model => ({ ...model, inputTokenLimit: advertisedWindow }))
    default:
      if (path.startsWith('/v1beta/')) return { ...body, inputTokenLimit: advertisedWindow }
      return path.startsWith('/v1/models/') ? modelWithWindow(body, advertisedWindow) : body
  }
}

export const tellsWindow = (path: string) =>
  ['/api/show', '/api/ps'].includes(path) || /^\/v1(?:beta)?\/models(?:$|\/)/.test(path)

/** The trained length stands in `model_info`, as `llama.context_length`; that of the Modelfile in `parameters`. */
function showWithWindow(body: Fields, advertisedWindow: number): Fields {
  const shown: Record<string, unknown> = { ...body }
  const { model_info: info, parameters } = body
  if (isFields(info)) {
    const tell = ([name, value]: [string, unknown]) =>
      name.endsWith('.context_length') ? [name, advertisedWindow] : [name, value]
    shown.model_info = Object.fromEntries(Object.entries(info).map(tell))
  }
  if (typeof parameters === 'string') {
    const lines = parameters
      .split('\n')
      .filter(line => line !== '' && !line.trimStart().startsWith('num_ctx'))
    shown.parameters = [...lines, `num_ctx ${advertisedWindow}`].join('\n')
  }
  return shown
}

/** The fields under which llama.cpp, vLLM and others tell it, and the one that clients of OpenAI look for. */
function modelWithWindow(model: Fields, advertisedWindow: number): Fields {
  const { meta } = model
  return {
    ...model,
    context_length: advertisedWindow,
    ...('max_model_len' in model && { max_model_len: advertisedWindow }),
    ...(isFields(meta) && 'n_ctx' in meta && { meta: { ...meta, n_ctx: advertisedWindow } }),
  }
}

function eachOf(body: Fields, list: string, change: (one: Fields) => Fields): Fields {
  const all = body[list]
  if (!Array.isArray(all)) return body
  return { ...body, [list]: all.map(one => (isFields(one) ? change(one) : one)) }
}
