import type { ModelError, ModelPart } from '../../model.ts'
import {
  type Body,
  type CallPart,
  type EndPart,
  guarded,
  type Routes,
  readMessages,
  readSettings,
  readTools,
  respond,
  type Upstream,
} from './serve.ts'

/** Serves `/v1/chat/completions` and `/v1/models` as OpenAI does. Refuses a prompt that is too long. */
export function openAiFace(upstream: Upstream): Routes {
  const created = seconds(upstream)
  let replies = 0
  return {
    'GET /v1/models': () =>
      Response.json({
        object: 'list',
        data: upstream.models.map(id => ({ id, object: 'model', created, owned_by: 'throughline' })),
      }),
    'POST /v1/chat/completions': guarded(upstream, refuse, (body, left) =>
      complete(upstream, body, `chatcmpl-${++replies}`, left),
    ),
  }
}

const seconds = ({ now }: Upstream) => Math.floor(now() / 1000)

function complete(upstream: Upstream, body: Body, id: string, left: AbortController): Promise<Response> {
  const model = upstream.open({ name: String(body.model), overflow: 'error' })
  const { type, json_schema: wanted } = (body.response_format ?? {}) as {
    type?: unknown
    json_schema?: { schema?: unknown }
  }
  const parts = model.stream({
    messages: readMessages(body),
    tools: readTools(body),
    settings: readSettings(
      body.max_completion_tokens ?? body.max_tokens,
      body.stop,
      type === 'json_object' ? 'json' : wanted?.schema,
    ),
    signal: left.signal,
  })
  const head = { id, created: seconds(upstream), model: body.model }
  const { include_usage: withUsage } = (body.stream_options ?? {}) as { include_usage?: unknown }
  const event = (choices: readonly object[], rest: object = {}) =>
    `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices, ...rest })}\n\n`
  const choice = (delta: object, reason: string | null = null) =>
    event([{ index: 0, delta, finish_reason: reason }])
  let opening = choice({ role: 'assistant', content: '' })
  let calls = 0

  function toEvents(part: ModelPart): string {
    if (part.type === 'text-delta') return choice({ content: part.text })
    if (part.type === 'tool-call') return choice({ tool_calls: [{ index: calls++, ...toCall(part) }] })
    if (part.type !== 'end') return ''
    const usage = withUsage === true ? event([], { usage: usageOf(part) }) : ''
    return `${choice({}, finishReason(part))}${usage}data: [DONE]\n\n`
  }

  return respond(
    parts,
    {
      isStream: body.stream === true,
      contentType: 'text/event-stream',
      write(part) {
        const events = opening + toEvents(part)
        opening = ''
        return events
      },
      whole: (text, calls, end) => ({
        ...head,
        object: 'chat.completion',
        choices: [
          {
            index: 0,
            message: {
              role: 'assistant',
              content: text === '' ? null : text,
              ...(calls.length > 0 && { tool_calls: calls.map(toCall) }),
            },
            finish_reason: finishReason(end),
            logprobs: null,
          },
        ],
        usage: usageOf(end),
      }),
    },
    left,
  )
}

function toCall({ id, name, arguments: json }: CallPart) {
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

function refuse({ code, message }: ModelError, status: number): Response {
  const known = { context_too_long: 'context_length_exceeded', model_not_found: code }[code] ?? null
  const error = { message, type: 'invalid_request_error', param: null, code: known }
  return Response.json({ error }, { status })
}
