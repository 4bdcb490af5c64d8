import type { Fields } from '@throughline/core/fields'
import { isObject, present } from '@throughline/core/values'
import { isWindow } from '../../check-options.ts'
import { kindOf, type LearnedFiles } from '../../leave-out.ts'
import { ModelError, type ModelPart, toEndReason, toUsage } from '../../model.ts'
import { readFault } from '../../read-fault.ts'
import { isImage } from '../../read-media.ts'
import { fieldsOf, limitCalls, listOf, readCalls, readText, toDelta } from '../../read-text.ts'
import { type AskedServer, toStreamError } from '../../to-model-error.ts'
import { type Ask, type ReplyReader, toListed, type Wire } from '../../wire/wire.ts'
import { findOpenAiWindow, listedFact, modelsIn } from './openai-window.ts'
import { eachOpenAi, toOpenAiRequest } from './write-request.ts'

interface OpenAiWireOptions {
  /** The option that gave the address. */
  readonly option: string
  /** The path between the address of the server and `/chat/completions`. */
  readonly base: '/v1' | ''
  readonly isOpenAi: boolean
}

/** OpenAI's chat completions, as llama.cpp, vLLM, LM Studio and many others have them too. */
export function openaiWire({ option, base, isOpenAi }: OpenAiWireOptions): Wire {
  const chat = `${base}/chat/completions`
  const list = `${base}/models`
  const counter = promptCounter(chat)
  return {
    form: 'chat',
    path: chat,
    describe: address => ({
      name: `The server at ${address}${base}`,
      notFound: `Check the name, which "${list}" lists if the server has it, and the address in "${option}"`,
      unavailable: `start it, or check "${option}"`,
    }),
    write: reply => toOpenAiRequest({ ...reply, isOpenAi }),
    each: eachOpenAi,
    piece: 'event',
    lastEvent: '[DONE]',
    read: openaiReader,
    // OpenAI itself tells no windows.
    findWindow: async (ask, model, signal) =>
      isOpenAi ? {} : findOpenAiWindow(ask, list, model, signal),
    listModels: async (ask, signal) =>
      toListed(modelsIn(await ask({ path: list, signal })), 'id', listedFact),
    files: openaiFiles,
    async count(ask, prompt, signal) {
      if (isOpenAi) return undefined
      const request = toOpenAiRequest({ ...prompt, settings: {}, isOpenAi })
      return counter(request, ask, signal)
    },
  }
}

/** Counts prompts exactly, in the way that the server knows: found out once, at the first prompt. `chat`: its path of replies. */
function promptCounter(chat: string) {
  // llama.cpp takes the whole request, vLLM the messages and the tools.
  let ways = [
    { path: `${chat}/input_tokens`, isWhole: true, field: 'input_tokens' },
    { path: '/tokenize', isWhole: false, field: 'count' },
  ]
  return async (request: ReturnType<typeof toOpenAiRequest>, ask: Ask, signal?: AbortSignal) => {
    const { model, messages, tools } = request
    for (const way of ways) {
      const body = way.isWhole ? request : { model, messages, tools }
      const { answer, isKnown } = await ifThere(() => ask({ path: way.path, body, signal }))
      const count = (answer as Fields | null | undefined)?.[way.field]
      // LM Studio answers any path, and llama.cpp has another `/tokenize`.
      if (isKnown && (answer === undefined || isWindow(count))) {
        ways = [way]
        return isWindow(count) ? count : undefined
      }
    }
    ways = []
    return undefined
  }
}

/** Whether the server has such a path, and its answer; none if it refuses this prompt. Throws if it may answer later. */
async function ifThere(
  question: () => Promise<unknown>,
): Promise<{ answer?: unknown; isKnown: boolean }> {
  try {
    return { answer: (await question()) ?? null, isKnown: true }
  } catch (error) {
    if (!(error instanceof ModelError) || error.isRetryable) throw error
    return { isKnown: error.status !== 404 && error.status !== 405 && error.status !== undefined }
  }
}

/** Which files a model behind chat completions takes: what the server refuses is known from then on. */
function openaiFiles(): LearnedFiles {
  const refused = new Set<string>()
  return {
    refuse(file) {
      if (file.type === 'url' && !isImage(file))
        return 'chat completions load no file from an address'
      if (file.type === 'foreign' && file.kind === 'input_image') return 'it was uploaded elsewhere'
      const kind = kindOf(file)
      return refused.has(kind) ? `this model takes no ${kinds[kind].words}` : undefined
    },
    learnFrom({ files, message }: ModelError) {
      if (files !== 'kind') return
      const all = Object.entries(kinds)
      const named = all.filter(([, { pattern }]) => pattern.test(message))
      for (const [kind] of named.length > 0 ? named : all) refused.add(kind)
    },
  }
}

/** What files are called, and how a server names them when it refuses them. */
const kinds = {
  image: { words: 'images', pattern: /image|vision|mmproj|multi-?modal/i },
  audio: { words: 'audio', pattern: /audio/i },
  video: { words: 'video', pattern: /video/i },
  PDF: { words: 'PDF files', pattern: /pdf|input_file|"file"/i },
  file: { words: 'files', pattern: /input_file|"file"/i },
}

/** Reads the chunks of `/chat/completions`, or a whole reply as one. Gives `end` last: usage comes after the finish reason. */
function openaiReader(server: AskedServer): ReplyReader {
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
    const message = fieldsOf(choice.delta ?? choice.message)
    const { content, refusal, reasoning, reasoning_content, tool_calls } = message
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

interface OpenCall {
  id: string
  name: string
  text: string
}

function collectCalls(server: AskedServer) {
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
    add(delta: Fields): void {
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
    calls: (): readonly ModelPart[] =>
      open.map(({ id, name, text }, at) => ({
        type: 'tool-call',
        id: id || `call_${at + 1}`,
        name,
        // A call of a tool without parameters may have no arguments.
        arguments: text || '{}',
      })),
  }
}
