import type { Fields } from '../../log/fields.ts'
import { isObject } from '../../log/parse-json.ts'
import { present } from '../../log/present.ts'
import { type ModelPart, toEndReason, toUsage } from '../model.ts'
import { readFault } from '../read-fault.ts'
import { fieldsOf, limitCalls, listOf, readCalls, readText, toDelta } from '../read-text.ts'
import { type AskedServer, toStreamError } from '../to-model-error.ts'
import type { ReplyReader } from '../wire/wire.ts'

/** Reads the chunks of `/chat/completions`; a reply that is not streamed is one chunk. The usage comes after the finish reason, so `end` is given last. */
export function openaiReader(server: AskedServer): ReplyReader {
  const calls = collectCalls(server)
  let finish = ''
  let usage: Fields = {}
  let cached: unknown
  let details: Fields = {}

  function partsOf(chunk: Fields): readonly ModelPart[] {
    if (!Array.isArray(chunk.choices)) {
      // Some servers send an error in place of a chunk.
      throw toStreamError(server, 'failed in the middle of its answer', readFault(chunk))
    }
    if (isObject(chunk.usage)) usage = chunk.usage
    cached = fieldsOf(chunk.timings).cache_n ?? cached
    details = { ...details, ...detailsOf(chunk) }
    const choice = listOf(chunk.choices).find(({ index }) => (index ?? 0) === 0) ?? {}
    const { content, refusal, reasoning, reasoning_content, tool_calls } = fieldsOf(
      choice.delta ?? choice.message,
    )
    const parts = [
      // Reasoning has two names, and no standard.
      ...toDelta('thinking-delta', readText(reasoning_content || reasoning, server)),
      ...toDelta('text-delta', readText(content, server), fieldsOf(choice.logprobs).content),
      ...toDelta('text-delta', readText(refusal, server)),
    ]
    // Where the reply is whole, so is each call.
    for (const [at, call] of readCalls(tool_calls, server).entries())
      calls.add(choice.message ? { ...call, index: at } : call)
    finish ||= readText(choice.finish_reason, server)
    return parts
  }

  return {
    read: partsOf,
    state: () => (finish === '' ? 'open' : 'ending'),
    end() {
      if (finish === '') throw toStreamError(server, 'ended its answer before it was finished')
      const whole = calls.calls()
      const counts = {
        promptTokens: usage.prompt_tokens,
        replyTokens: usage.completion_tokens,
        cachedTokens: fieldsOf(usage.prompt_tokens_details).cached_tokens ?? cached,
      }
      const reason = toEndReason(finish, whole.length)
      return [...whole, { type: 'end', reason, usage: toUsage(counts), details }]
    },
  }
}

/** `timings` are llama.cpp's. */
const detailsOf = ({ model, timings }: Fields) =>
  present({
    model: typeof model === 'string' ? model : undefined,
    prompt_eval_duration: toNanoseconds(fieldsOf(timings).prompt_ms),
    eval_duration: toNanoseconds(fieldsOf(timings).predicted_ms),
  })

function toNanoseconds(milliseconds: unknown): number | undefined {
  const isTime = typeof milliseconds === 'number' && milliseconds >= 0 && milliseconds < 1e9
  return isTime ? Math.round(milliseconds * 1e6) : undefined
}

type ToolCallPart = Extract<ModelPart, { type: 'tool-call' }>

interface OpenCall {
  id: string
  name: string
  text: string
}

function collectCalls(server: AskedServer): { add(delta: Fields): void; calls(): readonly ToolCallPart[] } {
  const open: OpenCall[] = []
  const numbered = new Map<unknown, OpenCall>()
  const limit = limitCalls(server)

  function find(index: unknown, id: string): OpenCall {
    const openCall = index === undefined ? open.at(-1) : numbered.get(index)
    // Some servers give every call the index 0, or none: then a new id begins a new call.
    const isNew = !openCall || (id !== '' && openCall.id !== '' && openCall.id !== id)
    if (!isNew) return openCall
    const call: OpenCall = { id: '', name: '', text: '' }
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
      const called = fieldsOf(delta.function)
      call.name ||= readText(called.name, server)
      const input = called.arguments ?? ''
      const more = typeof input === 'string' ? input : JSON.stringify(input)
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
