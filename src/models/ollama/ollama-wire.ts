import { present } from '../../log/present.ts'
import type { ListedModel, Wire } from '../wire/wire.ts'
import { defaultWindow, findWindow, loadedWindows, withTag } from './find-window.ts'
import { ollamaFiles } from './ollama-files.ts'
import { ollamaReader } from './read-reply.ts'
import { eachOllama, toOllamaMessages } from './to-ollama-messages.ts'
import { toOllamaRequest } from './to-ollama-request.ts'

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
    async write({ messages: given, window: find, ...reply }) {
      const messages = toOllamaMessages(given)
      const window = (await find()) ?? defaultWindow
      return { path: '/api/chat', body: toOllamaRequest({ ...reply, messages, window, keepAlive }) }
    },
    each: eachOllama,
    piece: 'line',
    read: ollamaReader,
    findWindow: (ask, model, signal) => findWindow({ ask, model, unloaded, signal }),
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
  const { models } = (tags ?? {}) as { models?: unknown }
  return (Array.isArray(models) ? (models as readonly unknown[]) : []).flatMap(one => {
    const { name } = (one ?? {}) as { name?: unknown }
    return typeof name === 'string' ? [{ name, ...present({ window: windows.get(withTag(name)) }) }] : []
  })
}
