import { present } from '../../log/present.ts'
import { type ModelPart, toEndReason, toUsage } from '../model.ts'
import { readFault } from '../read-fault.ts'
import { limitCalls, readText, toDelta } from '../read-text.ts'
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

/** Reads the chunks of `/chat/completions`; a reply that is not streamed is one chunk. The usage comes after the finish reason, so `end` is given last. */
export function openaiReader(server: AskedServer): ReplyReader {
  const calls = collectCalls(server)
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
    const parts = [
      ...toDelta('thinking-delta', readText(reasoning_content || reasoning, server)),
      ...toDelta('text-delta', readText(content, server), choice?.logprobs?.content),
      ...toDelta('text-delta', readText(refusal, server)),
    ]
    // Where the reply is whole, so is each call.
    for (const [at, delta] of (tool_calls ?? []).entries())
      calls.add(choice?.message ? { ...delta, index: at } : delta)
    finish ||= readText(choice?.finish_reason, server)
    return parts
  }

  return {
    read: partsOf,
    state: () => (finish === '' ? 'open' : 'ending'),
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

function collectCalls(server: AskedServer): { add(delta: CallDelta): void; calls(): readonly CallPart[] } {
  const open: Open[] = []
  /** The newest call of each index. */
  const numbered = new Map<number, Open>()
  const limit = limitCalls(server)

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
      limit(more)
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
