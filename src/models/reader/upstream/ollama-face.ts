import type { MessageLike } from '../../../log/message.ts'
import { present } from '../../../log/present.ts'
import type { ModelError, ModelPart, ToolSpec } from '../../model.ts'
import {
  type Body,
  type CallPart,
  type EndPart,
  guarded,
  type Routes,
  readCount,
  readMessages,
  readSettings,
  readTools,
  refused,
  respond,
  type Upstream,
} from './serve.ts'

/** Serves Ollama's routes: those that answer, and those about its models, their windows and its version. */
export function ollamaFace(upstream: Upstream): Routes {
  const { models, window, now } = upstream
  const began = new Date(now()).toISOString()
  const details = {
    parent_model: '',
    format: 'none',
    family: 'reader',
    families: ['reader'],
    parameter_size: '0',
    quantization_level: 'none',
  }
  const listed = models.map(model => {
    const name = model.includes(':') ? model : `${model}:latest`
    return { name, model: name, size: 0, digest: 'reader', details }
  })
  // The reader is always loaded, with its whole window.
  const loaded = { expires_at: '9999-12-31T23:59:59Z', size_vram: 0, context_length: window }
  const shown = {
    modelfile: '',
    parameters: '',
    template: '',
    details,
    model_info: { 'general.architecture': 'reader', 'reader.context_length': window },
    capabilities: ['completion', 'tools'],
    modified_at: began,
  }
  const show = guarded(upstream, refuse, () => Response.json(shown))
  return {
    'GET /': () => new Response('Ollama is running'),
    'GET /api/version': () => Response.json({ version: '0.0.0-reader' }),
    'GET /api/tags': () => Response.json({ models: listed.map(one => ({ ...one, modified_at: began })) }),
    'GET /api/ps': () => Response.json({ models: listed.map(one => ({ ...one, ...loaded })) }),
    // The older name of the field is still in use.
    'POST /api/show': (body, left) => show(body && { model: body.name, ...body }, left),
    'POST /api/chat': guarded(upstream, refuse, (body, left) => {
      const wrap = (content: string, calls: readonly object[] = []) => ({
        message: { role: 'assistant', content, ...(calls.length > 0 && { tool_calls: calls }) },
      })
      return complete(upstream, body, { messages: readMessages(body), tools: readTools(body), wrap }, left)
    }),
    'POST /api/generate': guarded(upstream, refuse, (body, left) => {
      const said = Object.entries({ system: body.system, user: body.prompt })
        .filter(([, text]) => typeof text === 'string' && text !== '')
        .map(([role, content]) => ({ role, content }))
      const messages = said.at(-1)?.role === 'user' ? said : []
      return complete(upstream, body, { messages, tools: [], wrap: text => ({ response: text }) }, left)
    }),
  }
}

interface Asked {
  readonly messages: readonly MessageLike[]
  readonly tools: readonly ToolSpec[]
  /** Puts the text and calls into the fields of the route. */
  readonly wrap: (text: string, calls?: readonly object[]) => object
}

function complete(
  { now, open }: Upstream,
  body: Body,
  { messages, tools, wrap }: Asked,
  left: AbortController,
): Response | Promise<Response> {
  const started = now()
  const head = () => ({ model: body.model, created_at: new Date(now()).toISOString() })
  if (messages.length === 0) {
    // Without messages the request only loads or unloads the model.
    const done_reason = body.keep_alive === 0 ? 'unload' : 'load'
    return Response.json({ ...head(), ...wrap(''), done: true, done_reason })
  }
  const { num_ctx, num_predict, stop } = (body.options ?? {}) as Body
  const window = readCount(num_ctx)
  if (window === 0) throw refused('num_ctx must be 1 or more')
  const overflow = body.truncate === false ? 'error' : 'cut'
  const model = open({ name: String(body.model), overflow, ...present({ window }) })
  const settings = readSettings(num_predict, stop, body.format)
  const ending = (end: EndPart) => closing(end, (now() - started) * 1_000_000)
  let calls = 0

  function toLine(part: ModelPart): object {
    if (part.type === 'end') return { ...wrap(''), ...ending(part) }
    const fields = part.type === 'tool-call' ? wrap('', [toCall(part, calls++)]) : wrap(part.text)
    return { ...fields, done: false }
  }

  return respond(
    model.stream({ messages, tools, settings, signal: left.signal }),
    {
      isStream: body.stream !== false,
      contentType: 'application/x-ndjson',
      write: part => `${JSON.stringify({ ...head(), ...toLine(part) })}\n`,
      whole: (text, calls, end) => ({ ...head(), ...wrap(text, calls.map(toCall)), ...ending(end) }),
    },
    left,
  )
}

/** The last line. Ollama's reason stays `stop` for tool calls. All time is counted as writing. */
function closing({ reason, usage }: EndPart, duration: number) {
  return {
    done: true,
    done_reason: reason === 'length' ? 'length' : 'stop',
    total_duration: duration,
    load_duration: 0,
    prompt_eval_count: usage.promptTokens,
    prompt_eval_duration: 0,
    eval_count: usage.replyTokens,
    eval_duration: duration,
  }
}

function toCall({ id, name, arguments: json }: CallPart, index: number) {
  return { id, function: { index, name, arguments: JSON.parse(json) as unknown } }
}

function refuse({ code, message }: ModelError, status: number): Response {
  const error = code === 'context_too_long' ? 'the input length exceeds the context length' : message
  return Response.json({ error }, { status })
}
