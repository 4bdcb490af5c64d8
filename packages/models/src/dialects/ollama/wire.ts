import type { LearnedFiles } from '../../leave-out.ts'
import { type ModelPart, toEndReason, toUsage } from '../../model.ts'
import { readFault } from '../../read-fault.ts'
import { isImage } from '../../read-media.ts'
import { fieldsOf, listOf, readCalls, readText, toDelta } from '../../read-text.ts'
import { type AskedServer, toStreamError } from '../../to-model-error.ts'
import { isToldWindow, type WindowFact, windowSources } from '../../windows/window-fact.ts'
import { ifKnown } from '../../wire/ask.ts'
import { type Ask, type ReplyReader, toListed, type Wire } from '../../wire/wire.ts'
import { eachOllama, toOllamaRequest } from './write-request.ts'

interface OllamaWireOptions {
  /** The option that gave the address. */
  readonly option: string
  readonly keepAlive?: string | number | undefined
  /** The window of models that are not loaded yet. Default: that of the Modelfile, else the server decides. */
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
      return toOllamaRequest({ ...reply, window: await reply.window(), keepAlive })
    },
    each: eachOllama,
    piece: 'line',
    read: ollamaReader,
    async findWindow(ask, model, signal) {
      const fact = await memoryFact(ask, model, signal)
      if (fact) return fact
      const shown = await ifKnown(() => ask({ path: '/api/show', body: { model }, signal }))
      return modelfileFact(shown)
    },
    async wishWindow(ask, model, tokens, signal) {
      const fact = await memoryFact(ask, model, signal)
      return fact ?? { tokens, from: windowSources.client }
    },
    async listModels(ask, signal) {
      const [tags, loaded] = await Promise.all([
        ask({ path: '/api/tags', signal }),
        // An older server does not tell.
        ask({ path: '/api/ps', signal }).catch(() => undefined),
      ])
      const windows = loadedWindows(loaded)
      return toListed(listOf(fieldsOf(tags).models), 'name', ({ name }) =>
        loadedFact(windows.get(withTag(String(name)))),
      )
    },
    files: (ask, model) =>
      ollamaFiles(signal => ask({ path: '/api/show', body: { model }, signal })),
  }

  /** The window of the loaded model, because another one would reload it; else the one that was set. */
  async function memoryFact(
    ask: Ask,
    model: string,
    signal?: AbortSignal,
  ): Promise<WindowFact | undefined> {
    const windows = loadedWindows(await ifKnown(() => ask({ path: '/api/ps', signal })))
    const fact = loadedFact(windows.get(withTag(model)))
    return fact.tokens === undefined ? undefined : fact
  }

  function loadedFact(loaded: number | undefined): WindowFact {
    if (loaded !== undefined) return { tokens: loaded, from: windowSources.loaded }
    return unloaded === undefined ? {} : { tokens: unloaded, from: windowSources.set }
  }
}

/** The windows of the models in memory, from `/api/ps`, by their names with tag. */
function loadedWindows(answer: unknown): ReadonlyMap<string, number> {
  const windows = new Map<string, number>()
  for (const { name, model, context_length } of listOf(fieldsOf(answer).models)) {
    if (!isToldWindow(context_length)) continue
    for (const called of [name, model])
      if (typeof called === 'string') windows.set(withTag(called), context_length)
  }
  return windows
}

/** `num_ctx` in the `parameters` of the Modelfile: a name and a value on each line. Without it the server decides. */
function modelfileFact(answer: unknown): WindowFact {
  const { parameters } = fieldsOf(answer)
  const line =
    typeof parameters === 'string'
      ? /^[ \t]*num_ctx[ \t]+(\d{1,15})[ \t\r]*$/m.exec(parameters)
      : null
  const tokens = Number(line?.[1])
  // When the model is loaded, its window can be read.
  return isToldWindow(tokens)
    ? { tokens, from: windowSources.modelfile, isOwn: true }
    : { mayChange: true }
}

/** The name that Ollama itself uses: `llama3` is `llama3:latest`. */
function withTag(name: string): string {
  const last = name.slice(name.lastIndexOf('/') + 1)
  return (last.includes(':') ? name : `${name}:latest`).toLowerCase()
}

/** A model of Ollama takes images by their bytes, if it can see. `show`: asks `/api/show`, which names what it can do. */
function ollamaFiles(show: (signal?: AbortSignal) => Promise<unknown>): LearnedFiles {
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

/** Reads the lines of `/api/chat`, up to the one that is `done`. */
export function ollamaReader(server: AskedServer): ReplyReader {
  let isDone = false
  let calls = 0

  return {
    read(line) {
      if ('error' in line)
        throw toStreamError(server, 'failed in the middle of its answer', readFault(line))
      isDone = line.done === true
      const { thinking, content, tool_calls } = fieldsOf(line.message)
      const parts: ModelPart[] = [
        ...toDelta('thinking-delta', readText(thinking, server)),
        // Log probabilities of thinking and of calls come with lines that have no content.
        ...toDelta('text-delta', readText(content, server), line.logprobs),
      ]
      for (const { id, function: called } of readCalls(tool_calls, server)) {
        const { name, arguments: input } = fieldsOf(called)
        calls += 1
        parts.push({
          type: 'tool-call',
          // Older servers give no id: one made from the place of the call is the same for the same reply.
          id: readText(id, server) || `call_${calls}`,
          name: readText(name, server),
          arguments: toJson(input),
        })
      }
      if (!isDone) return parts
      const usage = toUsage({ promptTokens: line.prompt_eval_count, replyTokens: line.eval_count })
      const reason = toEndReason(readText(line.done_reason, server) || 'stop', calls)
      return [...parts, { type: 'end', reason, usage, details: detailsOf(line) }]
    },
    state: () => (isDone ? 'over' : 'open'),
    end() {
      if (!isDone) throw toStreamError(server, 'ended its answer before it was done')
      return []
    },
  }
}

const toJson = (value: unknown): string =>
  typeof value === 'string' ? value || '{}' : (JSON.stringify(value ?? {}) ?? '{}')

const detailsOf = (line: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    detailNames
      .filter(name => ['string', 'number'].includes(typeof line[name]))
      .map(name => [name, line[name]]),
  )

const detailNames = [
  ...['model', 'remote_model', 'remote_host', 'done_reason', 'total_duration', 'load_duration'],
  ...['prompt_eval_count', 'prompt_eval_duration', 'eval_count', 'eval_duration'],
]
