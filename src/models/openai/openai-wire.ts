import type { Fields } from '../../log/fields.ts'
import { isWindow } from '../check-options.ts'
import { kindOf, type LearnedFiles } from '../leave-out.ts'
import { ModelError } from '../model.ts'
import { isImage } from '../read-media.ts'
import { fieldsOf, listOf } from '../read-text.ts'
import { type Ask, ifKnown } from '../wire/ask.ts'
import { toListed, type Wire } from '../wire/wire.ts'
import { openaiReader } from './read-reply.ts'
import { eachOpenAi, toOpenAiRequest } from './to-openai-request.ts'

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
  const listModels = async (ask: Ask, signal?: AbortSignal) =>
    listOf(fieldsOf(await ask({ path: list, signal })).data)
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
    async findWindow(ask, model, signal) {
      const listed = (await ifKnown(() => listModels(ask, signal))) ?? []
      const listedWindow = windowOf(listed.find(one => one.id === model))
      return listedWindow !== undefined || isOpenAi
        ? listedWindow
        : findLocalWindow(ask, model, listed.length > 1, signal)
    },
    listModels: async (ask, signal) => toListed(await listModels(ask, signal), 'id', windowOf),
    files: openaiFiles,
    async count(ask, prompt, signal) {
      if (isOpenAi) return undefined
      const request = toOpenAiRequest({ ...prompt, settings: {}, isOpenAi })
      return counter(request, (path, body) => ask({ path, body, signal }))
    },
  }
}

/** vLLM, OpenRouter, Groq and others each have their own field; llama.cpp tells it of one slot. */
function windowOf(listed: Fields = {}): number | undefined {
  const { max_model_len, context_length, context_window, meta } = listed
  return [max_model_len, context_length, context_window, fieldsOf(meta).n_ctx].find(isWindow)
}

/** The window of a server that has answered with its list: it is there, even if it does not know these paths. */
async function findLocalWindow(ask: Ask, model: string, hasOthers: boolean, signal?: AbortSignal) {
  const read = async (path: string) => {
    const answer = await ask({ path, signal }).catch(() => signal?.throwIfAborted())
    return fieldsOf(answer)
  }
  // llama.cpp with one model answers whatever name it is called by.
  const { default_generation_settings: slot } = hasOthers ? {} : await read('/props')
  const { n_ctx: slotWindow } = fieldsOf(slot)
  if (isWindow(slotWindow)) return slotWindow
  // LM Studio.
  for (const { key, loaded_instances } of listOf((await read('/api/v1/models')).models)) {
    const loaded = listOf(loaded_instances)
    const instance = loaded.find(({ id }) => id === model) ?? (key === model ? loaded[0] : undefined)
    const { context_length: window } = fieldsOf(instance?.config)
    if (isWindow(window)) return window
  }
  return undefined
}

type OpenAiRequest = ReturnType<typeof toOpenAiRequest>

type PostJson = (path: string, body: unknown) => Promise<unknown>

/** Counts prompts exactly, in the way that the server knows: found out once, at the first prompt. `chat`: its path of replies. */
function promptCounter(chat: string): (request: OpenAiRequest, ask: PostJson) => Promise<number | undefined> {
  // llama.cpp takes the whole request, vLLM the messages and the tools.
  let ways = [
    { path: `${chat}/input_tokens`, isWhole: true, field: 'input_tokens' },
    { path: '/tokenize', isWhole: false, field: 'count' },
  ]
  return async (request, ask) => {
    const { model, messages, tools } = request
    for (const way of ways) {
      const body = way.isWhole ? request : { model, messages, tools }
      const { answer, isKnown } = await ifThere(() => ask(way.path, body))
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
async function ifThere(question: () => Promise<unknown>): Promise<{ answer?: unknown; isKnown: boolean }> {
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
      if (file.type === 'url' && !isImage(file)) return 'chat completions load no file from an address'
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
