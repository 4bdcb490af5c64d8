import { type ModelPart, toEndReason, toUsage } from '../model.ts'

/** The fields of a line of `/api/chat` that are read. */
export interface OllamaChunk {
  readonly message?: {
    readonly content?: string
    readonly thinking?: string
    readonly tool_calls?: readonly {
      readonly id?: string
      readonly function?: { readonly name?: string; readonly arguments?: unknown }
    }[]
  }
  readonly done?: boolean
  readonly done_reason?: string
  readonly prompt_eval_count?: number
  readonly eval_count?: number
}

export async function* readParts(chunks: AsyncIterable<OllamaChunk>): AsyncGenerator<ModelPart> {
  let calls = 0
  for await (const chunk of chunks) {
    const { thinking, content, tool_calls = [] } = chunk.message ?? {}
    if (thinking) yield { type: 'thinking-delta', text: thinking }
    if (content) yield { type: 'text-delta', text: content }
    for (const call of tool_calls ?? []) {
      calls += 1
      // Older servers give no id: one made from the place of the call is the same for the same reply.
      yield {
        type: 'tool-call',
        id: call.id || `call_${calls}`,
        name: call.function?.name ?? '',
        arguments: toText(call.function?.arguments),
      }
    }
    if (!chunk.done) continue
    const usage = toUsage({ promptTokens: chunk.prompt_eval_count, replyTokens: chunk.eval_count })
    yield { type: 'end', reason: toEndReason(chunk.done_reason ?? 'stop', calls), usage }
  }
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value || '{}' : (JSON.stringify(value ?? {}) ?? '{}')
}
