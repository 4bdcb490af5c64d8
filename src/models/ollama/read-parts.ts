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
  const read = chunkReader()
  for await (const chunk of chunks) yield* read(chunk)
}

/** Reads a reply chunk by chunk. */
export function chunkReader(): (chunk: OllamaChunk) => readonly ModelPart[] {
  let calls = 0
  return chunk => {
    const { thinking, content, tool_calls = [] } = chunk.message ?? {}
    const parts: ModelPart[] = []
    if (thinking) parts.push({ type: 'thinking-delta', text: thinking })
    if (content) parts.push({ type: 'text-delta', text: content })
    for (const call of tool_calls ?? []) {
      calls += 1
      parts.push({
        type: 'tool-call',
        // Older servers give no id: one made from the place of the call is the same for the same reply.
        id: call.id || `call_${calls}`,
        name: call.function?.name ?? '',
        arguments: toText(call.function?.arguments),
      })
    }
    if (chunk.done) {
      const usage = toUsage({ promptTokens: chunk.prompt_eval_count, replyTokens: chunk.eval_count })
      parts.push({ type: 'end', reason: toEndReason(chunk.done_reason ?? 'stop', calls), usage })
    }
    return parts
  }
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value || '{}' : (JSON.stringify(value ?? {}) ?? '{}')
}
