import type { ReplyCall } from '../../model.ts'
import { sse } from '../../sse.ts'
import type { ReplyEnd, ReplyStart, ReplyStream } from '../adapter.ts'
import { toOpenAiError } from '../openai-error.ts'
import { toLogprobs } from '../openai-logprobs.ts'
import { replyStream, tokensOf } from '../reply-stream.ts'

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
      calls
        .map((call, at) => choice({ tool_calls: [{ index: from + at, ...toCall(call) }] }))
        .join(''),
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
      {
        index: 0,
        message,
        logprobs: logprobs ? toTokens(logprobs) : null,
        finish_reason: finishOf(end),
      },
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

const toTokens = (logprobs: readonly unknown[]) => ({
  content: toLogprobs(logprobs),
  refusal: null,
})

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
    ...(end.usage.cachedTokens !== undefined && {
      prompt_tokens_details: { cached_tokens: cached },
    }),
  }
}
