import type { FaceCall, ReplyEnd, ReplyStart, ReplyStream } from '../face.ts'
import { toOpenAiError } from '../openai-error.ts'
import { toLogprobs } from '../openai-logprobs.ts'
import { sse, sseComment } from '../sse.ts'
import { tokensOf } from '../tokens-of.ts'

/** Streams a reply as `chat.completion.chunk` events. */
export function streamChunks(start: ReplyStart): ReplyStream {
  const head = headOf(start, 'chat.completion.chunk')
  let called = 0
  const choice = (delta: object, rest: object = {}) =>
    sse({ ...head, choices: [{ index: 0, delta, finish_reason: null, ...rest }] })
  return {
    start: () => choice({ role: 'assistant', content: '' }),
    text: (content, given) => {
      if (content === '' && !given?.length) return ''
      return choice(
        { content },
        given?.length ? { logprobs: { content: toLogprobs(given), refusal: null } } : {},
      )
    },
    thinking: delta => (delta === '' ? '' : choice(toReasoning(delta))),
    calls: calls =>
      calls.map(call => choice({ tool_calls: [{ index: called++, ...toCall(call) }] })).join(''),
    end: end => {
      const usage = start.request.hints.includeUsage
        ? sse({ ...head, choices: [], usage: toUsage(start, end) })
        : ''
      return `${choice({}, { finish_reason: finishOf(end) })}${usage}data: [DONE]\n\n`
    },
    fail: fault => sse(toOpenAiError(fault).body),
    idle: () => sseComment,
  }
}

/** The body of an answer that is not streamed. */
export function toCompletion(start: ReplyStart, end: ReplyEnd) {
  const { text, thinking, calls, logprobs } = end
  const message = {
    role: 'assistant' as const,
    content: text === '' && calls.length > 0 ? null : text,
    refusal: null,
    ...(thinking !== '' && toReasoning(thinking)),
    ...(calls.length > 0 && { tool_calls: calls.map(toCall) }),
  }
  const held = logprobs ? { content: toLogprobs(logprobs), refusal: null } : null
  return {
    ...headOf(start, 'chat.completion'),
    choices: [{ index: 0, message, logprobs: held, finish_reason: finishOf(end) }],
    usage: toUsage(start, end),
  }
}

const headOf = <T extends string>({ id, time, model }: ReplyStart, object: T) => ({
  id: `chatcmpl-${id}`,
  object,
  created: Math.floor(time / 1000),
  model,
})

/** Thinking has two names: that of Ollama and vLLM, and that of llama.cpp and LM Studio. */
const toReasoning = (text: string) => ({ reasoning: text, reasoning_content: text })

const toCall = ({ id, name, arguments: json }: FaceCall) => ({
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
    prompt_tokens_details: { cached_tokens: cached },
  }
}
