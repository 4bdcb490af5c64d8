import { present } from '../../log/present.ts'
import type { LearnedFiles } from '../leave-out.ts'
import { isImage } from '../read-media.ts'
import { fieldsOf, listOf } from '../read-text.ts'
import { ifKnown } from '../wire/ask.ts'
import type { ListedModel, Wire } from '../wire/wire.ts'
import { defaultWindow, findWindow, loadedWindows, withTag } from './find-window.ts'
import { ollamaReader } from './read-reply.ts'
import { eachOllama, toOllamaRequest } from './to-ollama-request.ts'

export interface OllamaWireOptions {
  /** The option that gave the address. */
  readonly option: string
  readonly keepAlive?: string | number | undefined
  /** The window of models that are not loaded yet. Default: that of the Modelfile, else 4096. */
  readonly unloaded?: number | undefined
}

/** Ollama's own form, always by `/api/chat`. A model has one `num_ctx` for all requests: another one would load it again. */
export function ollamaWire({ option, keepAlive, unloaded }: OllamaWireOptions): Wire {
  return {
    form: 'ollama',
    path: '/api/chat',
    describe: (address, model) => ({
      name: `Ollama at ${address}`,
      notFound: `Get it with "ollama pull ${model}"`,
      unavailable: `start it with "ollama serve", or check "${option}"`,
    }),
    async write(reply) {
      const window = (await reply.window()) ?? defaultWindow
      return { path: '/api/chat', body: toOllamaRequest({ ...reply, window, keepAlive }) }
    },
    each: eachOllama,
    piece: 'line',
    read: ollamaReader,
    findWindow: (ask, model, signal) => findWindow(ask, model, unloaded, signal),
    async listModels(ask, signal) {
      const [tags, loaded] = await Promise.all([
        ask({ path: '/api/tags', signal }),
        // An older server does not tell.
        ask({ path: '/api/ps', signal }).catch(() => undefined),
      ])
      return readList(tags, loadedWindows(loaded))
    },
    files: (ask, model) => ollamaFiles(signal => ask({ path: '/api/show', body: { model }, signal })),
  }
}

function readList(tags: unknown, windows: ReadonlyMap<string, number>): readonly ListedModel[] {
  return listOf(fieldsOf(tags).models).flatMap(({ name }) =>
    typeof name === 'string' ? [{ name, ...present({ window: windows.get(withTag(name)) }) }] : [],
  )
}

/** A model of Ollama takes images by their bytes, if it can see. `show`: asks `/api/show`, which names what it can do. */
export function ollamaFiles(show: (signal?: AbortSignal) => Promise<unknown>): LearnedFiles {
  let isBlind: boolean | undefined
  return {
    refuse(file) {
      if (file.type === 'url' && isImage(file)) return 'Ollama loads no image from an address'
      if (!isImage(file)) return 'Ollama takes images only'
      return isBlind ? 'this model takes no images' : undefined
    },
    async learn(signal) {
      if (isBlind !== undefined) return false
      const { capabilities } = fieldsOf(await ifKnown(() => show(signal)))
      // Older servers do not tell.
      isBlind ??= Array.isArray(capabilities) && !capabilities.includes('vision')
      return isBlind
    },
    learnFrom({ files }) {
      if (files === 'kind') isBlind = true
    },
  }
}

/** The options of Ollama that load a model again. The last ones are of older servers. */
export const reloads: ReadonlySet<string> = new Set([
  ...['num_ctx', 'num_batch', 'num_gpu', 'main_gpu', 'num_thread', 'use_mmap', 'draft_num_predict'],
  ...['numa', 'low_vram', 'f16_kv', 'vocab_only', 'use_mlock'],
])
