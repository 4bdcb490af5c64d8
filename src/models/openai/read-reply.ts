import { parseJsonObject } from '../../log/parse-json.ts'
import { present } from '../../log/present.ts'
import { ModelError, type ModelPart, toEndReason, toUsage } from '../model.ts'
import { readFault } from '../read-fault.ts'
import { readText } from '../read-text.ts'
import { type AskedServer, toStreamError } from '../to-model-error.ts'
import type { ReplyReader } from '../wire/wire.ts'

/** The fields of a chunk of `/chat/completions` that are read. Reasoning has two names, and no standard. */
interface Chunk {
  readonly choices?: readonly {
    readonly index?: number
    /** Of a reply that is not streamed. */
    readonly message?: Delta
    readonly delta?: Delta
    readonly logprobs?: { readonly content?: unknown } | null
    readonly finish_reason?: unknown
  }[]
  readonly usage?: Usage | null
  readonly model?: unknown
  /** Of llama.cpp. */
  readonly timings?: Timings | null
}

interface Timings {
  readonly prompt_ms?: unknown
  readonly predicted_ms?: unknown
  /** The tokens of the prompt that were in the cache. */
  readonly cache_n?: unknown
}

interface Delta {
  readonly content?: unknown
  readonly refusal?: unknown
  readonly reasoning?: unknown
  readonly reasoning_content?: unknown
  readonly tool_calls?: readonly CallDelta[] | null
}

/** A piece of a tool call, as it comes in a stream. */
interface CallDelta {
  readonly index?: number
  readonly id?: unknown
  readonly function?: { readonly name?: unknown; readonly arguments?: unknown }
}

interface Usage {
  readonly prompt_tokens?: number
  readonly completion_tokens?: number
  readonly prompt_tokens_details?: { readonly cached_tokens?: number } | null
}

/** Reads the chunks of `/chat/completions`, up to `[DONE]`. The usage comes after the finish reason, so `end` is given last. */
export function openaiReader(server: AskedServer): ReplyReader {
  const calls = collectCalls(server)
  let isDone = false
  let finish = ''
  let usage: Usage = {}
  let cached: unknown
  let details: Readonly<Record<string, unknown>> = {}

  function partsOf(chunk: Chunk): readonly ModelPart[] {
    if (!Array.isArray(chunk.choices)) {
      // Some servers send an error in place of a chunk.
      throw toStreamError(server, 'failed in the middle of its answer', readFault(chunk))
    }
    usage = chunk.usage ?? usage
    cached = chunk.timings?.cache_n ?? cached
    details = { ...details, ...detailsOf(chunk) }
    const choice = (chunk.choices as NonNullable<Chunk['choices']>).find(one => (one.index ?? 0) === 0)
    const { content, refusal, reasoning, reasoning_content, tool_calls } =
      choice?.delta ?? choice?.message ?? {}
    const thinking = readText(reasoning_content || reasoning, server)
    const text = readText(content, server)
    const refused = readText(refusal, server)
    const logprobs = choice?.logprobs?.content
    const parts: ModelPart[] = []
    if (thinking !== '') parts.push({ type: 'thinking-delta', text: thinking })
    if (text !== '') parts.push({ type: 'text-delta', text, ...(Array.isArray(logprobs) && { logprobs }) })
    if (refused !== '') parts.push({ type: 'text-delta', text: refused })
    // Where the reply is whole, so is each call.
    for (const [at, delta] of (tool_calls ?? []).entries())
      calls.add(choice?.message ? { ...delta, index: at } : delta)
    finish ||= readText(choice?.finish_reason, server)
    return parts
  }

  return {
    read(data) {
      const text = data.trim()
      isDone ||= text === '[DONE]'
      if (isDone || text === '') return []
      const chunk = parseJsonObject(text)
      if (!chunk) throw toStreamError(server, 'sent an event that cannot be read')
      return partsOf(chunk)
    },
    isEnding: () => finish !== '',
    isDone: () => isDone,
    end() {
      if (finish === '') throw toStreamError(server, 'ended its answer before it was finished')
      const whole = calls.calls()
      const { prompt_tokens, completion_tokens, prompt_tokens_details } = usage
      const counts = {
        promptTokens: prompt_tokens,
        replyTokens: completion_tokens,
        cachedTokens: prompt_tokens_details?.cached_tokens ?? cached,
      }
      const reason = toEndReason(finish, whole.length)
      return [...whole, { type: 'end', reason, usage: toUsage(counts), details }]
    },
  }
}

/** Reads a `chat.completion`, which is one chunk with all of the reply. */
export function readCompletion(text: string, server: AskedServer): readonly ModelPart[] {
  const reader = openaiReader(server)
  return [...reader.read(text), ...reader.end()]
}

/** The name of the model that answered, and how long it took. */
const detailsOf = ({ model, timings }: Chunk) =>
  present({
    model: typeof model === 'string' ? model : undefined,
    prompt_eval_duration: toNanoseconds(timings?.prompt_ms),
    eval_duration: toNanoseconds(timings?.predicted_ms),
  })

function toNanoseconds(milliseconds: unknown): number | undefined {
  const isTime = typeof milliseconds === 'number' && milliseconds >= 0 && milliseconds < 1e9
  return isTime ? Math.round(milliseconds * 1e6) : undefined
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
function collectCalls(server: AskedServer): { add(delta: CallDelta): void; calls(): readonly CallPart[] } {
  const open: Open[] = []
  /** The newest call of each index. */
  const numbered = new Map<number, Open>()
  let size = 0

  function find(index: number | undefined, id: string): Open {
    const known = index === undefined ? open.at(-1) : numbered.get(index)
    // Some servers give every call the index 0, or none: then a new id begins a new call.
    const isNew = !known || (id !== '' && known.id !== '' && known.id !== id)
    if (!isNew) return known
    const call: Open = { id: '', name: '', text: '' }
    open.push(call)
    if (index !== undefined) numbered.set(index, call)
    return call
  }

  return {
    add(delta) {
      const id = readText(delta.id, server)
      const call = find(delta.index, id)
      // The name comes in one piece, from some servers again with every piece.
      call.id ||= id
      call.name ||= readText(delta.function?.name, server)
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
