import { type ModelPart, type ModelUsage, toUsage } from '../model.ts'
import { ModelError } from '../model-error.ts'
import type { AiSdkStreamPart } from './ai-sdk-model.ts'
import { type Asked, toModelError } from './to-model-error.ts'

/** Converts a part of an AI SDK stream; undefined for parts that a turn does not need (beginnings, sources, raw chunks). */
export function readPart(part: AiSdkStreamPart, asked: Asked): ModelPart | undefined {
  switch (part.type) {
    case 'text-delta':
      return { type: 'text-delta', text: String(part.delta ?? '') }
    case 'reasoning-delta':
      return { type: 'thinking-delta', text: String(part.delta ?? '') }
    case 'tool-call':
      // The provider ran the tool itself: no result is needed.
      if (part.providerExecuted) return undefined
      return {
        type: 'tool-call',
        id: String(part.toolCallId),
        name: String(part.toolName),
        arguments: toArguments(part.input),
      }
    case 'finish':
      return { type: 'end', reason: readReason(part.finishReason, asked.name), usage: readUsage(part.usage) }
    case 'error':
      throw toModelError(part.error, asked, 'stream')
    default:
      return undefined
  }
}

function toArguments(input: unknown): string {
  if (typeof input !== 'string') return JSON.stringify(input ?? {})
  return input === '' ? '{}' : input
}

/** The reason is a text in AI SDK 5, and an object with the provider's own word since 6. */
function readReason(value: unknown, model: string): Extract<ModelPart, { type: 'end' }>['reason'] {
  const { unified, raw } =
    typeof value === 'object' && value !== null ? (value as { unified?: unknown; raw?: unknown }) : {}
  const reason = unified ?? value
  // Some providers finish a stream that was cut off; the missing reason is how that shows.
  const nobodySaid = reason === 'unknown' || (unified === 'other' && raw === undefined)
  if (nobodySaid || reason === 'error') {
    const what = nobodySaid ? 'stopped without saying why' : 'ended with an error'
    throw new ModelError('model_stream_broken', `The stream of model "${model}" ${what}: ask again.`)
  }
  return reason === 'stop' || reason === 'length' || reason === 'tool-calls' ? reason : 'other'
}

/** Tokens are plain numbers in AI SDK 5, and objects with parts since 6. */
function readUsage(value: unknown): ModelUsage {
  const { inputTokens, outputTokens, cachedInputTokens } = (value ?? {}) as Record<string, unknown>
  const input = (inputTokens ?? {}) as { total?: unknown; cacheRead?: unknown }
  const output = (outputTokens ?? {}) as { total?: unknown }
  return toUsage({
    promptTokens: input.total ?? inputTokens,
    replyTokens: output.total ?? outputTokens,
    cachedTokens: input.cacheRead ?? cachedInputTokens,
  })
}
