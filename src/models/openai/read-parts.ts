import { ModelError, type ModelPart, toEndReason, toUsage } from '../model.ts'
import { readFault } from '../read-fault.ts'
import { type Server, toStreamError } from '../to-model-error.ts'

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

/** A piece of a tool call, as it comes in a stream. */
interface CallDelta {
  readonly index?: number
  readonly id?: string | null
  readonly function?: { readonly name?: string | null; readonly arguments?: unknown }
}

interface Usage {
  readonly prompt_tokens?: number
  readonly completion_tokens?: number
  readonly prompt_tokens_details?: { readonly cached_tokens?: number } | null
}

/** Reads the chunks of a reply. */
export async function* readParts(
  chunks: AsyncIterable<OpenAiChunk>,
  server: Server,
): AsyncGenerator<ModelPart> {
  const reader = chunkReader(server)
  for await (const chunk of chunks) yield* reader.read(chunk)
  yield* reader.end()
}

/** Reads a reply chunk by chunk. The usage comes after the finish reason, so the part `end` is given at the end. */
export function chunkReader(server: Server) {
  const calls = collectCalls(server)
  let finish: string | undefined
  let usage: Usage = {}
  return {
    read(chunk: OpenAiChunk): readonly ModelPart[] {
      if (!Array.isArray(chunk?.choices)) {
        // Some servers send an error in place of a chunk.
        throw toStreamError(server, 'failed in the middle of its answer', readFault(chunk))
      }
      usage = chunk.usage ?? usage
      const choice = chunk.choices.find(one => (one.index ?? 0) === 0)
      const { content, refusal, reasoning, reasoning_content, tool_calls } = choice?.delta ?? {}
      const thinking = reasoning_content || reasoning
      const parts: ModelPart[] = []
      if (thinking) parts.push({ type: 'thinking-delta', text: thinking })
      if (content) parts.push({ type: 'text-delta', text: content })
      if (refusal) parts.push({ type: 'text-delta', text: refusal })
      for (const delta of tool_calls ?? []) calls.add(delta)
      finish ??= choice?.finish_reason ?? undefined
      return parts
    },
    end(): readonly ModelPart[] {
      // The client does not notice that a stream broke off.
      if (finish === undefined) throw toStreamError(server, 'ended its answer before it was finished')
      const whole = calls.calls()
      const { prompt_tokens, completion_tokens, prompt_tokens_details } = usage
      const counts = {
        promptTokens: prompt_tokens,
        replyTokens: completion_tokens,
        cachedTokens: prompt_tokens_details?.cached_tokens,
      }
      return [...whole, { type: 'end', reason: toEndReason(finish, whole.length), usage: toUsage(counts) }]
    },
  }
}

type CallPart = Extract<ModelPart, { type: 'tool-call' }>

interface Open {
  id: string
  name: string
  text: string
}

/** Far more than any call, so that one that never ends does not fill the memory. */
const mostCharacters = 16 * 1024 * 1024

/** Joins the pieces of tool calls. */
function collectCalls(server: Server): { add(delta: CallDelta): void; calls(): readonly CallPart[] } {
  const open: Open[] = []
  /** The newest call of each index. */
  const numbered = new Map<number, Open>()
  let size = 0

  function find({ index, id }: CallDelta): Open {
    const known = index === undefined ? open.at(-1) : numbered.get(index)
    // Some servers give every call the index 0, or none: then a new id begins a new call.
    const isNew = !known || (id && known.id !== '' && known.id !== id)
    if (!isNew) return known
    const call: Open = { id: '', name: '', text: '' }
    open.push(call)
    if (index !== undefined) numbered.set(index, call)
    return call
  }

  return {
    add(delta) {
      const call = find(delta)
      // The name comes in one piece, from some servers again with every piece.
      call.id ||= delta.id ?? ''
      call.name ||= delta.function?.name ?? ''
      const given = delta.function?.arguments ?? ''
      const more = typeof given === 'string' ? given : JSON.stringify(given)
      size += more.length
      if (size > mostCharacters)
        throw new ModelError(
          'reply_too_large',
          `${server.name} sent calls of more than ${mostCharacters} characters.`,
        )
      call.text += more
    },
    calls: () =>
      open.map(({ id, name, text }, at) => ({
        type: 'tool-call',
        id: id || `call_${at + 1}`,
        name,
        // A call of a tool without parameters may have no arguments.
        arguments: text || '{}',
      })),
  }
}
