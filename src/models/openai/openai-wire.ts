import { present } from '../../log/present.ts'
import { kindOf, type LearnedFiles } from '../leave-out.ts'
import type { ModelError } from '../model.ts'
import { isImage } from '../read-media.ts'
import type { Wire } from '../wire/wire.ts'
import { promptCounter } from './count-prompt.ts'
import { findWindow, listModels, windowOf } from './find-window.ts'
import { openaiReader } from './read-reply.ts'
import { eachOpenAi, toOpenAiRequest } from './to-openai-request.ts'

export interface OpenAiWireOptions {
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
    write: reply => ({ path: chat, body: toOpenAiRequest({ ...reply, isOpenAi }) }),
    each: eachOpenAi,
    piece: 'event',
    lastEvent: '[DONE]',
    read: openaiReader,
    findWindow: (ask, model, signal) => findWindow(ask, list, model, isOpenAi, signal),
    listModels: async (ask, signal) =>
      (await listModels(ask, list, signal)).flatMap(one =>
        typeof one.id === 'string' ? [{ name: one.id, ...present({ window: windowOf(one) }) }] : [],
      ),
    files: openaiFiles,
    async count(ask, prompt, signal) {
      if (isOpenAi) return undefined
      const request = toOpenAiRequest({ ...prompt, settings: {}, isOpenAi })
      return counter(request, (path, body) => ask({ path, body, signal }))
    },
  }
}

/** Which files a model behind chat completions takes: what the server refuses is known from then on. */
export function openaiFiles(): LearnedFiles {
  const refused = new Set<string>()
  return {
    refuse(file) {
      if (file.type === 'url' && !isImage(file)) return 'chat completions load no file from an address'
      if (file.type === 'foreign' && file.kind === 'input_image') return 'it was uploaded elsewhere'
      const kind = kindOf(file)
      return refused.has(kind) ? `this model takes no ${words[kind]}` : undefined
    },
    learnFrom({ files, message }: ModelError) {
      if (files !== 'kind') return
      const named = kinds.filter(kind => patterns[kind].test(message))
      for (const kind of named.length > 0 ? named : kinds) refused.add(kind)
    },
  }
}

const kinds = ['image', 'audio', 'video', 'PDF', 'file'] as const

const words: Readonly<Record<(typeof kinds)[number], string>> = {
  image: 'images',
  audio: 'audio',
  video: 'video',
  PDF: 'PDF files',
  file: 'files',
}

const patterns: Readonly<Record<(typeof kinds)[number], RegExp>> = {
  image: /image|vision|mmproj|multi-?modal/i,
  audio: /audio/i,
  video: /video/i,
  PDF: /pdf|input_file|"file"/i,
  file: /input_file|"file"/i,
}
