import { present } from '../../log/present.ts'
import { checkWindow } from '../../models/check-options.ts'
import { hasFiles } from '../../models/leave-out.ts'
import type { ModelSettings } from '../../models/model.ts'
import { findWindow, loadedWindows, withTag } from '../../models/ollama/find-window.ts'
import { ollamaFiles } from '../../models/ollama/ollama-files.ts'
import { ollamaServer } from '../../models/ollama/ollama-server.ts'
import { lineReader } from '../../models/ollama/read-lines.ts'
import { chunkReader, type OllamaChunk } from '../../models/ollama/read-parts.ts'
import { toOllamaMessages } from '../../models/ollama/to-ollama-messages.ts'
import { toOllamaRequest } from '../../models/ollama/to-ollama-request.ts'
import { textsOf } from '../../models/pair-results.ts'
import type { Server } from '../../models/to-model-error.ts'
import { type ConnectionOptions, openConnection } from './connection.ts'
import { fileMemory } from './file-memory.ts'
import { type PartReader, streamParts } from './stream-parts.ts'
import type { Hear, Upstream, UpstreamModel } from './upstream.ts'
import { windowMemory } from './window-memory.ts'

export interface OllamaUpstreamOptions extends ConnectionOptions {
  /** The window of models that are not loaded yet. Default: that of the Modelfile, else 4096. */
  readonly window?: number
}

/** An Ollama server, always spoken to by `/api/chat`. Every model has one `num_ctx` for all requests: another reloads it. */
export function ollamaUpstream({ window, ...options }: OllamaUpstreamOptions): Upstream {
  checkWindow(window)
  const connection = openConnection(options)
  const { address, secrets } = connection
  const serverFor = (model: string, sent: () => readonly string[] = () => []) =>
    ollamaServer(address, model, 'upstream', () => [...sent(), ...secrets])
  const facts = serverFor('')

  const windows = windowMemory((model, signal) => {
    const server = serverFor(model)
    const client = {
      ps: () => connection.askFacts({ path: '/api/ps', signal }, server),
      show: (body: { model: string }) => connection.askFacts({ path: '/api/show', body, signal }, server),
    }
    return findWindow(client, model, window)
  })

  const files = fileMemory(model =>
    ollamaFiles(signal =>
      connection.askFacts({ path: '/api/show', body: { model }, signal }, serverFor(model)),
    ),
  )

  return {
    kind: 'ollama',
    address,

    model: (name, hear = () => {}) => ({
      name,
      window: signal => windows.of(name, signal),
      files: files.of(name),
      stream({ messages, tools, settings = {}, signal }) {
        const server = {
          ...serverFor(name, () => textsOf(messages)),
          hasFiles: () => messages.some(hasFiles),
        }
        return streamParts({
          connection,
          server,
          windows,
          files: files.of(name),
          hear,
          signal,
          question: async () => ({
            path: '/api/chat',
            signal,
            body: toOllamaRequest({
              model: name,
              messages: toOllamaMessages(messages),
              tools,
              settings: withoutReloads(settings),
              window: await windows.of(name, signal),
            }),
          }),
          reader: replyReader(server, hear),
        })
      },
    }),

    pass: request => connection.pass(request, facts),

    async models(signal) {
      const [tags, loaded] = await Promise.all([
        connection.askFacts({ path: '/api/tags', signal }, facts),
        // An older server does not tell.
        connection.askFacts({ path: '/api/ps', signal }, facts).catch(() => undefined),
      ])
      return readModels(tags, loadedWindows(loaded))
    },

    close: connection.close,
  }
}

function replyReader(server: Server, hear: Hear): PartReader {
  const lines = lineReader(server)
  const read = chunkReader()
  return {
    piece: 'line',
    *read(text) {
      for (const line of text.split('\n')) {
        const chunk = lines.read(line)
        if (!chunk) continue
        tell(chunk, hear)
        yield* read(chunk)
      }
    },
    isDone: lines.isDone,
    end() {
      lines.end()
      return []
    },
  }
}

/** Tells what a line says beside its message. */
function tell(chunk: OllamaChunk & { readonly logprobs?: unknown }, hear: Hear): void {
  const { logprobs, message, done } = chunk
  // Those of thinking and of calls come with lines that have no content.
  if (Array.isArray(logprobs) && message?.content) hear({ logprobs })
  if (!done) return
  const line = chunk as Readonly<Record<string, unknown>>
  const told = detailNames.filter(name => ['string', 'number'].includes(typeof line[name]))
  hear({ details: Object.fromEntries(told.map(name => [name, line[name]])) })
}

const detailNames = [
  ...['model', 'remote_model', 'remote_host', 'done_reason', 'total_duration', 'load_duration'],
  ...['prompt_eval_count', 'prompt_eval_duration', 'eval_count', 'eval_duration'],
]

/** Settings without the options that would load the model again. */
function withoutReloads(settings: ModelSettings): ModelSettings {
  const { options, ...flat } = settings.provider ?? {}
  return { ...settings, provider: { ...strip(flat), options: strip(options ?? {}) } }
}

function strip(values: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !reloads.has(name)))
}

/** The last ones are of older servers. */
const reloads: ReadonlySet<string> = new Set([
  ...['num_ctx', 'num_batch', 'num_gpu', 'main_gpu', 'num_thread', 'use_mmap', 'draft_num_predict'],
  ...['numa', 'low_vram', 'f16_kv', 'vocab_only', 'use_mlock'],
])

function readModels(tags: unknown, windows: ReadonlyMap<string, number>): readonly UpstreamModel[] {
  const { models } = (tags ?? {}) as { models?: unknown }
  return (Array.isArray(models) ? (models as readonly unknown[]) : []).flatMap(one => {
    const { name } = (one ?? {}) as { name?: unknown }
    if (typeof name !== 'string') return []
    return [{ name, ...present({ window: windows.get(withTag(name)) }) }]
  })
}
