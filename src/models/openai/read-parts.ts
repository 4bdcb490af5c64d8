import type { ModelPart, ModelUsage } from '../model.ts'
import { readFault } from '../read-fault.ts'
import { type Server, toStreamError } from '../to-model-error.ts'
import { type CallDelta, collectCalls } from './collect-calls.ts'

/** The fields of a chunk of `/chat/completions` that are read. Reasoning has two names, and no standard. */
export interface OpenAiChunk {
  readonly choices?: readonly {
    readonly index?: number
    readonly delta?: {
      readonly content?: string | null
      readonly refusal?: string | null
      readonly reasoning?: string | null
      readonly reasoning_content?: string | null
      readonly tool_calls?: readonly CallDelta[] | null
    }
    readonly finish_reason?: string | null
  }[]
  readonly usage?: Usage | null
}

interface Usage {
  readonly prompt_tokens?: number
  readonly completion_tokens?: number
  readonly prompt_tokens_details?: { readonly cached_tokens?: number } | null
}

/** Reads the chunks of a reply. The usage comes after the finish reason, so `end` is emitted when the stream has ended. */
export async function* readParts(
  chunks: AsyncIterable<OpenAiChunk>,
  server: Server,
): AsyncGenerator<ModelPart> {
  const calls = collectCalls()
  let finish: string | undefined
  let usage: Usage = {}
  for await (const chunk of chunks) {
    if (!Array.isArray(chunk?.choices)) {
      // Some servers send an error in place of a chunk.
      throw toStreamError(server, 'failed in the middle of its answer', readFault(chunk))
    }
    usage = chunk.usage ?? usage
    const choice = chunk.choices.find(one => (one.index ?? 0) === 0)
    const { content, refusal, reasoning, reasoning_content, tool_calls } = choice?.delta ?? {}
    const thinking = reasoning_content || reasoning
    if (thinking) yield { type: 'thinking-delta', text: thinking }
    if (content) yield { type: 'text-delta', text: content }
    if (refusal) yield { type: 'text-delta', text: refusal }
    for (const delta of tool_calls ?? []) calls.add(delta)
    finish ??= choice?.finish_reason ?? undefined
  }
  // The client does not notice that a stream broke off.
  if (finish === undefined) throw toStreamError(server, 'ended its answer before it was finished')
  const whole = calls.calls()
  yield* whole
  yield { type: 'end', reason: reasonOf(finish, whole.length), usage: toUsage(usage) }
}

function reasonOf(finish: string, calls: number): 'stop' | 'length' | 'tool-calls' | 'other' {
  switch (finish) {
    case 'stop':
      return calls > 0 ? 'tool-calls' : 'stop'
    case 'tool_calls':
    case 'function_call':
      return 'tool-calls'
    case 'length':
      return 'length'
    default:
      return 'other'
  }
}

function toUsage({ prompt_tokens, completion_tokens, prompt_tokens_details }: Usage): ModelUsage {
  const cached = prompt_tokens_details?.cached_tokens
  return {
    ...(typeof prompt_tokens === 'number' ? { promptTokens: prompt_tokens } : {}),
    ...(typeof completion_tokens === 'number' ? { replyTokens: completion_tokens } : {}),
    ...(typeof cached === 'number' ? { cachedTokens: cached } : {}),
  }
}
