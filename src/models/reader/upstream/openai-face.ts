import type { ModelPart, ModelSettings } from '../../model.ts'
import { ModelError } from '../../model-error.ts'
import { readCount, readMessages, readStop, readTools } from './read-request.ts'
import { begin, type EndPart, gather, streamLines } from './respond.ts'
import type { Body, Handler, Upstream } from './upstream.ts'

/** Serves `/v1/chat/completions` and `/v1/models` as OpenAI does. Refuses a prompt that is too long. */
export function openAiFace(upstream: Upstream): Readonly<Record<string, Handler>> {
  const created = Math.floor(upstream.now() / 1000)
  let replies = 0
  return {
    'GET /v1/models': () =>
      Response.json({
        object: 'list',
        data: upstream.models.map(id => ({ id, object: 'model', created, owned_by: 'throughline' })),
      }),
    'POST /v1/chat/completions': async (body, left) => {
      if (body === undefined) return refusal(400, 'The body is no JSON object', null)
      const name = String(body.model ?? '')
      if (!upstream.hasModel(name))
        return refusal(404, `The model '${name}' does not exist`, 'model_not_found')
      try {
        return await complete(upstream, body, `chatcmpl-${++replies}`, left)
      } catch (error) {
        if (!(error instanceof ModelError)) throw error
        const isTooLong = error.code === 'context_too_long'
        return refusal(error.status ?? 500, error.message, isTooLong ? 'context_length_exceeded' : null)
      }
    },
  }
}

async function complete(
  upstream: Upstream,
  body: Body,
  id: string,
  left: AbortController,
): Promise<Response> {
  const model = upstream.open({ name: String(body.model), overflow: 'error' })
  const messages = readMessages(body)
  const tools = readTools(body)
  const parts = await begin(
    model.stream({ messages, tools, settings: readSettings(body), signal: left.signal }),
  )
  const head = (object: string) => ({
    id,
    object,
    created: Math.floor(upstream.now() / 1000),
    model: body.model,
  })
  if (body.stream !== true) {
    const { text, calls, end } = await gather(parts)
    const message = {
      role: 'assistant',
      content: text === '' ? null : text,
      ...(calls.length > 0 ? { tool_calls: calls.map(call => toCall(call)) } : {}),
    }
    const choices = [{ index: 0, message, finish_reason: finishReason(end), logprobs: null }]
    return Response.json({ ...head('chat.completion'), choices, usage: usageOf(end) })
  }
  const withUsage = (body.stream_options as { include_usage?: unknown } | undefined)?.include_usage === true
  return streamLines(events(), 'text/event-stream', left)

  async function* events(): AsyncGenerator<string> {
    const event = (choices: readonly object[], rest: object = {}) =>
      `data: ${JSON.stringify({ ...head('chat.completion.chunk'), choices, ...rest })}\n\n`
    const choice = (delta: object, reason: string | null = null) =>
      event([{ index: 0, delta, finish_reason: reason }])
    yield choice({ role: 'assistant', content: '' })
    let calls = 0
    for await (const part of parts) {
      if (part.type === 'text-delta') yield choice({ content: part.text })
      else if (part.type === 'tool-call') yield choice({ tool_calls: [{ index: calls++, ...toCall(part) }] })
      else if (part.type === 'end') {
        yield choice({}, finishReason(part))
        if (withUsage) yield event([], { usage: usageOf(part) })
      }
    }
    yield 'data: [DONE]\n\n'
  }
}

function toCall({ id, name, arguments: json }: Extract<ModelPart, { type: 'tool-call' }>) {
  return { id, type: 'function', function: { name, arguments: json } }
}

function finishReason({ reason }: EndPart): string {
  return reason === 'tool-calls' ? 'tool_calls' : reason === 'length' ? 'length' : 'stop'
}

function usageOf({ usage: { promptTokens = 0, replyTokens = 0 } }: EndPart) {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: replyTokens,
    total_tokens: promptTokens + replyTokens,
  }
}

function readSettings(body: Body): ModelSettings {
  const maxTokens = readCount(body.max_completion_tokens ?? body.max_tokens)
  const wanted = body.response_format as
    | { type?: string; json_schema?: { schema?: Readonly<Record<string, unknown>> } }
    | undefined
  const format = wanted?.type === 'json_object' ? 'json' : wanted?.json_schema?.schema
  return {
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(format === undefined ? {} : { format }),
    stop: readStop(body.stop),
  }
}

function refusal(status: number, message: string, code: string | null): Response {
  const error = { message, type: 'invalid_request_error', param: null, code }
  return Response.json({ error }, { status })
}
