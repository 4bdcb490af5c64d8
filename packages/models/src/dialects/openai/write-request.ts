import { InvalidMessageError } from '@throughline/core/errors'
import type { Fields } from '@throughline/core/fields'
import type { MessageLike } from '@throughline/core/messages'
import { present } from '@throughline/core/values'
import type { ModelSettings } from '../../model.ts'
import { type PairedCall, type PairedMessage, pairResults } from '../../pair-results.ts'
import { isImage, type Media, readMedia, readPart, sentFile } from '../../read-media.ts'
import type { WantedReply } from '../../wire/wire.ts'

/** `isOpenAi`: OpenAI itself has newer names for some fields than compatible servers. */
export function toOpenAiRequest(
  reply: Omit<WantedReply, 'window'> & { readonly isOpenAi: boolean },
) {
  const { model, messages, tools, settings, isOpenAi } = reply
  const { temperature, maxTokens, seed, stop, format, thinking, provider } = settings
  return {
    ...present({
      temperature,
      [isOpenAi ? 'max_completion_tokens' : 'max_tokens']: maxTokens,
      seed,
      stop,
      response_format: toResponseFormat(format),
      reasoning_effort: toEffort(thinking),
    }),
    ...(tools.length > 0 && { tools: tools.map(tool => ({ type: 'function', function: tool })) }),
    stream_options: { include_usage: true },
    ...provider,
    model,
    messages: eachOpenAi(messages).flat(),
    stream: true,
  }
}

function toResponseFormat(format: ModelSettings['format']): unknown {
  if (format === undefined) return undefined
  if (format === 'json') return { type: 'json_object' }
  return { type: 'json_schema', json_schema: { name: 'reply', schema: format, strict: true } }
}

/** The reasoning effort. `true` has no word: such models think by default. */
function toEffort(thinking: ModelSettings['thinking']): string | undefined {
  if (thinking === false) return 'none'
  if (thinking === true) return undefined
  return thinking === 'max' ? 'xhigh' : thinking
}

/** Converts messages of any provider for chat completions: new objects with only the keys that they know. */
export const eachOpenAi = (messages: readonly MessageLike[]): readonly Fields[][] =>
  pairResults(messages).map(toMessages)

function toMessages(paired: PairedMessage): Fields[] {
  const { seq, source, message, calls, results } = paired
  const media = readMedia(source, seq)
  const isTool = message.role === 'tool'
  const answers = results.map(({ text, key }, at) => ({
    role: 'tool',
    content: withMedia(text, media.results[at] ?? [], seq),
    tool_call_id: key,
  }))
  if (isTool) {
    // A plain tool message is one result; its content may be more than a text.
    const [first] = answers
    return first && Array.isArray(source.content) && media.results.length === 0
      ? [{ ...first, content: toContent(paired) }]
      : answers
  }
  const converted: Fields = {
    // The newer name of the system role: kept, because the caller knows that the server takes it.
    role: source.role === 'developer' ? 'developer' : message.role,
    content: toContent(paired),
    ...(typeof source.name === 'string' && { name: source.name }),
    ...(calls.length > 0 && { tool_calls: calls.map((call, at) => toCall(call, source, at)) }),
  }
  return [converted, ...answers]
}

function toContent({
  seq,
  source,
  message,
  calls,
}: PairedMessage): string | null | readonly unknown[] {
  const parts = Array.isArray(source.content) ? toContentParts(source.content, seq) : undefined
  const images = Array.isArray(source.images)
    ? readMedia({ role: '', images: source.images }, seq).files
    : []
  if (images.length > 0) {
    const texts = parts ?? (message.text === '' ? [] : [toText(message.text)])
    return [...texts, ...images.map(image => toMediaPart(image, seq))]
  }
  if (parts && parts.length > 0 && message.dialect !== 'ai-sdk') return parts
  // Templates of local servers often take only a text, so a list is sent only if it holds more.
  if (parts?.some(part => (part as { type?: unknown }).type !== 'text')) return parts
  return message.text === '' && calls.length > 0 ? null : message.text
}

function withMedia(
  text: string,
  media: readonly Media[],
  seq: number,
): string | readonly unknown[] {
  if (media.length === 0) return text
  return [...(text === '' ? [] : [toText(text)]), ...media.map(one => toMediaPart(one, seq))]
}

function toCall(
  { key, name, arguments: text }: PairedCall,
  source: MessageLike,
  at: number,
): unknown {
  const { custom } = ((source.tool_calls as readonly Fields[] | undefined)?.[at] ?? {}) as Fields
  if (custom !== undefined) return { id: key, type: 'custom', custom }
  return { id: key, type: 'function', function: { name, arguments: text } }
}

/** Converts the parts of a content; OpenAI's stay as they are. Thoughts, calls and results are left out. */
function toContentParts(parts: readonly unknown[], seq: number): readonly unknown[] {
  return parts.flatMap((value, at) => {
    if (typeof value === 'string') return [toText(value)]
    const { providerOptions: _, providerMetadata: __, ...part } = value as Fields
    switch (part.type) {
      case 'input_text':
      case 'output_text':
        return [toText(String(part.text ?? ''))]
      case 'reasoning':
      case 'thinking':
      case 'tool-call':
      case 'tool-result':
        return []
      case 'image':
      case 'input_image':
        return [toMediaPart(readPart(part, seq, `content[${at}]`), seq)]
      case 'file':
        return 'file' in part ? [part] : [toMediaPart(readPart(part, seq, `content[${at}]`), seq)]
      default:
        return [part]
    }
  })
}

const toText = (text: string): Fields => ({ type: 'text', text })

function toMediaPart(file: Media | undefined, seq: number): Fields {
  const media = sentFile(file, seq)
  const { url } = media
  if (isImage(media)) return { type: 'image_url', image_url: { url } }
  if (media.type === 'url') {
    const why =
      'has a file by its address, which chat completions do not load: pass its bytes as base64'
    throw new InvalidMessageError(seq, why)
  }
  const audio = /^audio\/(?:x-)?(wav|mp3|mpeg)$/.exec(media.mediaType)?.[1]
  if (audio) {
    const format = audio === 'mpeg' ? 'mp3' : audio
    return { type: 'input_audio', input_audio: { data: media.base64, format } }
  }
  return { type: 'file', file: { filename: media.filename ?? 'file', file_data: url } }
}
