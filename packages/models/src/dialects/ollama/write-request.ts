import { InvalidMessageError } from '@throughline/core/errors'
import type { Fields } from '@throughline/core/fields'
import type { MessageLike, ToolCall } from '@throughline/core/messages'
import { present, toArguments } from '@throughline/core/values'
import { ModelError, type ModelSettings } from '../../model.ts'
import { type PairedMessage, type PairedResult, pairResults } from '../../pair-results.ts'
import { isImage, type Media, readMedia } from '../../read-media.ts'
import type { WantedReply } from '../../wire/wire.ts'

interface OllamaReply extends Omit<WantedReply, 'window'> {
  /** Undefined: the server decides. */
  readonly window: number | undefined
  readonly keepAlive?: string | number
}

/** The body of `/api/chat`. Settings cannot override the window. */
export function toOllamaRequest({
  model,
  messages,
  tools,
  settings,
  window,
  keepAlive,
}: OllamaReply) {
  const { temperature, maxTokens, seed, stop, format, thinking } = settings
  const { options: providerOptions, fields } = splitProvider(settings.provider)
  if (providerOptions.num_ctx !== undefined && providerOptions.num_ctx !== window)
    throw new ModelError(
      'model_refused',
      `The settings ask for a num_ctx of ${providerOptions.num_ctx}, but the window of "${model}" is ${window ?? 'that of the server'}: another value would load the model again. Give ollama() the "window".`,
    )
  return {
    ...present({ think: thinking, format, keep_alive: keepAlive }),
    ...fields,
    ...(tools.length > 0 && { tools: tools.map(tool => ({ type: 'function', function: tool })) }),
    options: {
      ...present({ temperature, num_predict: maxTokens, seed, stop }),
      ...providerOptions,
      // Without it the server uses its own default, and refuses a prompt that was fitted for a larger window.
      ...present({ num_ctx: window }),
    },
    // By default Ollama silently cuts a prompt that is too long, and drops its beginning while it writes.
    truncate: false,
    shift: false,
    model,
    messages: eachOllama(messages).flat(),
    stream: true,
  }
}

/** Ollama has its options of sampling in a field of their own; others write them beside the rest. Both are read. */
function splitProvider(provider: ModelSettings['provider'] = {}) {
  const { options: nested, ...flat } = provider
  const options: Record<string, unknown> = {}
  const fields: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(flat))
    (optionNames.has(name) ? options : fields)[name] = value
  return {
    options: { ...options, ...(nested as Readonly<Record<string, unknown>> | undefined) },
    fields,
  }
}

const optionNames: ReadonlySet<string> = new Set([
  ...[
    'temperature',
    'top_k',
    'top_p',
    'min_p',
    'typical_p',
    'seed',
    'stop',
    'num_predict',
    'num_keep',
  ],
  ...['repeat_last_n', 'repeat_penalty', 'presence_penalty', 'frequency_penalty'],
  ...['num_ctx', 'num_batch', 'num_gpu', 'main_gpu', 'use_mmap', 'num_thread', 'draft_num_predict'],
])

/** Converts messages of any provider for Ollama: new objects with only the keys that it knows. */
export const eachOllama = (messages: readonly MessageLike[]): readonly Fields[][] =>
  pairResults(messages).map(toMessages)

function toMessages({ seq, source, message, calls, results }: PairedMessage): Fields[] {
  if (message.unknown !== '')
    throw new InvalidMessageError(
      seq,
      'has a part that Ollama does not take: send texts and images',
    )
  const media = readMedia(source, seq)
  const images = toImages(media.files, seq)
  // The AI SDK may have several results in one message, and results of the provider's own tools beside their calls.
  const answers = results.map((result, at) =>
    toResult(result, toImages(media.results[at] ?? [], seq)),
  )
  if (message.role === 'tool') {
    const [first, ...rest] = answers
    return first && images.length > 0 ? [{ ...first, images }, ...rest] : answers
  }
  const converted: Fields = {
    role: message.role,
    content: message.text,
    ...(message.thinking !== '' && { thinking: message.thinking }),
    ...(images.length > 0 && { images }),
    ...(calls.length > 0 && { tool_calls: calls.map(toCall) }),
  }
  return [converted, ...answers]
}

function toCall({ id, name, arguments: text }: ToolCall) {
  return { ...present({ id }), function: { name, arguments: toArguments(text) } }
}

function toResult({ callId, name, text, call }: PairedResult, images: string[]): Fields {
  return {
    role: 'tool',
    content: text,
    ...(images.length > 0 && { images }),
    // OpenAI's results have no tool name, but some templates need it.
    ...present({ tool_name: name ?? call?.name, tool_call_id: callId ?? call?.id }),
  }
}

function toImages(media: readonly Media[], seq: number): string[] {
  return media.map(one => {
    if (one.type === 'url') {
      const why =
        'has an image by its address, and Ollama loads none: fetch it and pass its bytes as base64'
      throw new InvalidMessageError(seq, why)
    }
    if (one.type === 'foreign' || !isImage(one)) {
      const kind = one.type === 'foreign' ? one.kind : one.mediaType
      throw new InvalidMessageError(seq, `has a file (${kind}), and Ollama takes images only`)
    }
    return one.base64
  })
}
