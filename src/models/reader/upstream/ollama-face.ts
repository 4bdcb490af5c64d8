import type { MessageLike } from '../../../log/message.ts'
import type { ModelPart, ModelSettings, ToolSpec } from '../../model.ts'
import { ModelError } from '../../model-error.ts'
import { readCount, readMessages, readStop, readTools } from './read-request.ts'
import { begin, type EndPart, gather, streamLines } from './respond.ts'
import type { Body, Handler, Upstream } from './upstream.ts'

/** Serves `/api/chat` and `/api/generate` as Ollama does. */
export function ollamaFace(upstream: Upstream): Readonly<Record<string, Handler>> {
  return {
    'POST /api/chat': guarded(upstream, (body, left) => {
      const messages = readMessages(body)
      const wrap = (text: string, calls: readonly object[] = []) => ({
        message: { role: 'assistant', content: text, ...(calls.length > 0 ? { tool_calls: calls } : {}) },
      })
      return respond(upstream, { body, messages, tools: readTools(body), wrap }, left)
    }),
    'POST /api/generate': guarded(upstream, (body, left) => {
      const { prompt, system } = body
      const asked = typeof prompt === 'string' && prompt !== '' ? [{ role: 'user', content: prompt }] : []
      const told = typeof system === 'string' && system !== '' ? [{ role: 'system', content: system }] : []
      const messages = asked.length > 0 ? [...told, ...asked] : []
      return respond(upstream, { body, messages, tools: [], wrap: text => ({ response: text }) }, left)
    }),
  }
}

interface Work {
  readonly body: Body
  readonly messages: readonly MessageLike[]
  readonly tools: readonly ToolSpec[]
  /** Puts the text and calls into the fields of the route. */
  readonly wrap: (text: string, calls?: readonly object[]) => object
}

async function respond(upstream: Upstream, work: Work, left: AbortController): Promise<Response> {
  const { body, messages, tools, wrap } = work
  const started = upstream.now()
  const head = () => ({ model: body.model, created_at: new Date(upstream.now()).toISOString() })
  if (messages.length === 0) {
    // Without messages the request only loads or unloads the model.
    const done_reason = body.keep_alive === 0 ? 'unload' : 'load'
    return Response.json({ ...head(), ...wrap(''), done: true, done_reason })
  }
  const options = (body.options ?? {}) as Body
  const model = upstream.open({
    name: String(body.model),
    overflow: body.truncate === false ? 'error' : 'cut',
    windowAsked: readWindow(options),
  })
  const settings = readSettings(body, options)
  const parts = await begin(model.stream({ messages, tools, settings, signal: left.signal }))
  const ending = (end: EndPart) => closing(end, (upstream.now() - started) * 1_000_000)
  if (body.stream === false) {
    const { text, calls, end } = await gather(parts)
    return Response.json({ ...head(), ...wrap(text, calls.map(toCall)), ...ending(end) })
  }
  return streamLines(lines(parts), 'application/x-ndjson', left)

  async function* lines(source: AsyncIterable<ModelPart>): AsyncGenerator<string> {
    let calls = 0
    for await (const part of source) {
      const line =
        part.type === 'text-delta'
          ? { ...wrap(part.text), done: false }
          : part.type === 'tool-call'
            ? { ...wrap('', [toCall(part, calls++)]), done: false }
            : part.type === 'end'
              ? { ...wrap(''), ...ending(part) }
              : undefined
      if (line !== undefined) yield `${JSON.stringify({ ...head(), ...line })}\n`
    }
  }
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

function toCall(part: Extract<ModelPart, { type: 'tool-call' }>, index: number) {
  const { id, name, arguments: json } = part
  return { id, function: { index, name, arguments: JSON.parse(json) as unknown } }
}

function readSettings({ format }: Body, { num_predict, stop }: Body): ModelSettings {
  const maxTokens = readCount(num_predict)
  return {
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(format ? { format: format as NonNullable<ModelSettings['format']> } : {}),
    stop: readStop(stop),
  }
}

function readWindow({ num_ctx }: Body): number | undefined {
  const window = readCount(num_ctx)
  if (window !== 0) return window
  throw new ModelError('model_refused', 'num_ctx must be 1 or more', { status: 400 })
}

/** Turns errors into Ollama's words and statuses. */
function guarded(
  upstream: Upstream,
  handle: (body: Body, left: AbortController) => Promise<Response>,
): Handler {
  return async (body, left) => {
    if (body === undefined) return Response.json({ error: 'invalid JSON in the body' }, { status: 400 })
    const { model } = body
    if (typeof model !== 'string' || model === '') {
      return Response.json({ error: 'model is required' }, { status: 400 })
    }
    if (!upstream.hasModel(model))
      return Response.json({ error: `model '${model}' not found` }, { status: 404 })
    try {
      return await handle(body, left)
    } catch (error) {
      if (!(error instanceof ModelError)) throw error
      const isTooLong = error.code === 'context_too_long'
      return Response.json(
        { error: isTooLong ? 'the input length exceeds the context length' : error.message },
        { status: error.status ?? 500 },
      )
    }
  }
}
