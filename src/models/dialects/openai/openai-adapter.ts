import { type Fields, read } from '../../../log/fields.ts'
import { present } from '../../../log/values.ts'
import type { ModelSettings, ReplyCall } from '../../model.ts'
import { sse } from '../../sse.ts'
import type { Adapter, ChatRequest, ReplyEnd, ReplyStart, ReplyStream } from '../adapter.ts'
import { leadMarksCache } from '../message-list.ts'
import { toOpenAiError } from '../openai-error.ts'
import { toLogprobs } from '../openai-logprobs.ts'
import { refuseElsewhere } from '../own-form.ts'
import { readChatMessages } from '../read-chat-messages.ts'
import { readEffort, readProvider, readSampling } from '../read-settings.ts'
import { readFunctionTools } from '../read-tools.ts'
import { replyStream, tokensOf } from '../reply-stream.ts'

/** `/v1/chat/completions`. */
export const openaiAdapter: Adapter = {
  name: 'openai',
  form: 'chat',
  streamType: 'text/event-stream',
  read: readRequest,
  stream: streamChunks,
  whole: toCompletion,
  fault: toOpenAiError,
}

export function readRequest(value: unknown): ChatRequest {
  const body = read.body(value)
  const choices = read.optional(body.n, 'n', read.whole) ?? 1
  if (choices !== 1) refuseElsewhere('n', 'must be 1: one answer is kept for each request')
  const { include_usage } = read.optional(body.stream_options, 'stream_options', read.fields) ?? {}
  const includeUsage = read.optional(include_usage, 'stream_options.include_usage', read.flag) ?? false
  const messages = read.list(body.messages, 'messages')
  return {
    model: read.text(body.model, 'model'),
    ...readChatMessages(messages),
    ...(leadMarksCache(messages) && { marksCache: true }),
    tools: readFunctionTools(body.tools),
    settings: readSettings(body),
    stream: read.optional(body.stream, 'stream', read.flag) ?? false,
    named: present({ user: read.optional(body.user, 'user', read.text) }),
    hints: { includeUsage },
  }
}

function readSettings(body: Fields): ModelSettings {
  return present({
    ...readSampling(body, { maxTokens: ['max_completion_tokens', 'max_tokens'] }),
    format: readFormat(read.optional(body.response_format, 'response_format', read.fields) ?? {}),
    thinking: readEffort(body.reasoning_effort, 'reasoning_effort'),
    provider: readProvider(body),
  })
}

function readFormat({ type, json_schema: held }: Fields): ModelSettings['format'] {
  if (type === 'json_object') return 'json'
  if (type !== 'json_schema') return undefined
  const { schema } = read.fields(held, 'response_format.json_schema')
  return read.optional(schema, 'response_format.json_schema.schema', read.jsonFields) ?? 'json'
}

export function streamChunks(start: ReplyStart): ReplyStream {
  const head = headOf(start, 'chat.completion.chunk')
  const choice = (delta: object, rest: object = {}) =>
    sse({ ...head, choices: [{ index: 0, delta, finish_reason: null, ...rest }] })
  return replyStream({
    start: () => choice({ role: 'assistant', content: '' }),
    delta(kind, text, logprobs) {
      if (kind === 'thinking') return choice(toReasoning(text))
      return choice({ content: text }, logprobs.length > 0 ? { logprobs: toTokens(logprobs) } : {})
    },
    calls: (calls, from) =>
      calls.map((call, at) => choice({ tool_calls: [{ index: from + at, ...toCall(call) }] })).join(''),
    end(end) {
      const usage = start.request.hints.includeUsage
        ? sse({ ...head, choices: [], usage: toUsage(start, end) })
        : ''
      return `${choice({}, { finish_reason: finishOf(end) })}${usage}data: [DONE]\n\n`
    },
    fail: fault => sse(toOpenAiError(fault).body),
  })
}

export function toCompletion(start: ReplyStart, end: ReplyEnd) {
  const { text, thinking, calls, logprobs } = end
  const message = {
    role: 'assistant' as const,
    content: text === '' && calls.length > 0 ? null : text,
    refusal: null,
    ...(thinking !== '' && toReasoning(thinking)),
    ...(calls.length > 0 && { tool_calls: calls.map(toCall) }),
  }
  return {
    ...headOf(start, 'chat.completion'),
    choices: [
      { index: 0, message, logprobs: logprobs ? toTokens(logprobs) : null, finish_reason: finishOf(end) },
    ],
    usage: toUsage(start, end),
  }
}

const headOf = <T extends string>({ id, time, model }: ReplyStart, object: T) => ({
  id: `chatcmpl-${id}`,
  object,
  created: Math.floor(time / 1000),
  model,
})

const toTokens = (logprobs: readonly unknown[]) => ({ content: toLogprobs(logprobs), refusal: null })

/** Thinking has two names: that of Ollama and vLLM, and that of llama.cpp and LM Studio. */
const toReasoning = (text: string) => ({ reasoning: text, reasoning_content: text })

const toCall = ({ id, name, arguments: json }: ReplyCall) => ({
  id,
  type: 'function' as const,
  function: { name, arguments: json },
})

function finishOf({ reason, calls }: ReplyEnd): 'stop' | 'length' | 'tool_calls' {
  if (reason === 'length') return 'length'
  return reason === 'tool-calls' || calls.length > 0 ? 'tool_calls' : 'stop'
}

function toUsage(start: ReplyStart, end: ReplyEnd) {
  const { prompt, reply, cached } = tokensOf(start, end)
  return {
    prompt_tokens: prompt,
    completion_tokens: reply,
    total_tokens: prompt + reply,
    // 0 would say that the model server had nothing: where it does not tell, neither do we.
    ...(end.usage.cachedTokens !== undefined && { prompt_tokens_details: { cached_tokens: cached } }),
  }
}
