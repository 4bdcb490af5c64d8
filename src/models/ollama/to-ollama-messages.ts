import { InvalidMessageError } from '../../log/error.ts'
import type { MessageLike, ToolCall } from '../../log/message.ts'
import { toArguments } from '../../log/parse-json.ts'
import { present } from '../../log/present.ts'
import { type PairedMessage, type PairedResult, pairResults } from '../pair-results.ts'
import { isImage, type Media, readMedia } from '../read-media.ts'

export interface OllamaMessage {
  role: string
  content: string
  thinking?: string
  images?: string[]
  tool_calls?: { id?: string; function: { name: string; arguments: Readonly<Record<string, unknown>> } }[]
  tool_name?: string
  tool_call_id?: string
}

/** Converts messages of any provider for Ollama: new objects with only the keys that it knows. */
export function toOllamaMessages(messages: readonly MessageLike[]): OllamaMessage[] {
  return eachOllama(messages).flat()
}

/** The same, message by message. */
export const eachOllama = (messages: readonly MessageLike[]): readonly OllamaMessage[][] =>
  pairResults(messages).map(toMessages)

function toMessages({ seq, source, message, calls, results }: PairedMessage): OllamaMessage[] {
  if (message.unknown !== '') {
    throw new InvalidMessageError(
      seq,
      'has a part of a type that Ollama does not take: send texts and images',
    )
  }
  const media = readMedia(source, seq)
  const images = toImages(media.own, seq)
  // The AI SDK may have several results in one message, and results of the provider's own tools beside their calls.
  const answers = results.map((result, at) => toResult(result, toImages(media.results[at] ?? [], seq)))
  if (message.role === 'tool') {
    const [first, ...rest] = answers
    return first && images.length > 0 ? [{ ...first, images }, ...rest] : answers
  }
  const own: OllamaMessage = {
    role: message.role,
    content: message.text,
    ...(message.thinking !== '' && { thinking: message.thinking }),
    ...(images.length > 0 && { images }),
    ...(calls.length > 0 && { tool_calls: calls.map(toCall) }),
  }
  return [own, ...answers]
}

function toCall({ id, name, arguments: text }: ToolCall) {
  return { ...present({ id }), function: { name, arguments: toArguments(text) } }
}

function toResult({ callId, name, text, call }: PairedResult, images: string[]): OllamaMessage {
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
      const why = 'has an image by its address, and Ollama loads none: fetch it and pass its bytes as base64'
      throw new InvalidMessageError(seq, why)
    }
    if (one.type === 'foreign' || !isImage(one)) {
      const kind = one.type === 'foreign' ? one.kind : one.mediaType
      throw new InvalidMessageError(seq, `has a file (${kind}), and Ollama takes images only`)
    }
    return one.base64
  })
}
