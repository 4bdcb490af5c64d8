import type { MessageLike } from '../../log/message.ts'
import { imageTypeOf } from '../read-media.ts'
import type { FilePart, PromptPart } from './ai-sdk-model.ts'

/** A part of a prompt, whatever its kind. */
export type AnyPart = { readonly type: string } & Readonly<Record<string, unknown>>

/** Converts the content of a message to parts of an AI SDK prompt. The AI SDK's own parts stay the same objects. */
export function toParts(source: MessageLike): PromptPart[] {
  const { content, images } = source
  const said = Array.isArray(content) ? content.flatMap(toPart) : textPart(content)
  const shown = Array.isArray(images) ? images.map(image => toFilePart(image)) : []
  const parts: unknown[] = [...reasoningOf(source), ...said, ...shown.filter(file => file !== undefined)]
  // Parts of an unknown kind are passed on: the provider knows or refuses them.
  return parts as PromptPart[]
}

/** The reasoning that Ollama and OpenAI-compatible servers put beside the content, under three names. */
function reasoningOf(source: MessageLike): AnyPart[] {
  const { thinking, reasoning_content, reasoning } = source as MessageLike & Record<string, unknown>
  const text = thinking ?? reasoning_content ?? reasoning
  return typeof text === 'string' && text !== '' ? [{ type: 'reasoning', text }] : []
}

function textPart(text: unknown): AnyPart[] {
  return typeof text === 'string' && text !== '' ? [{ type: 'text', text }] : []
}

function toPart(value: unknown): AnyPart[] {
  if (typeof value === 'string') return textPart(value)
  const part = value as AnyPart
  switch (part.type) {
    case 'input_text':
    case 'output_text':
      return textPart(part.text)
    case 'refusal':
      return textPart(part.refusal)
    case 'thinking':
      return [{ type: 'reasoning', text: part.thinking ?? part.text ?? '' }]
    // Approvals are between an application and its user: the AI SDK does not send them either.
    case 'tool-approval-request':
    case 'tool-approval-response':
      return []
    case 'tool-call':
      return [{ ...part, input: part.input ?? part.args ?? {} }]
    default:
      return [(toFilePart(part) as object as AnyPart | undefined) ?? part]
  }
}

/** Converts an image or file of any provider to the AI SDK's file part; undefined for other parts. */
export function toFilePart(value: unknown): FilePart | undefined {
  // Ollama's images are bare base64.
  if (typeof value === 'string') return file(value, imageTypeOf(value) ?? 'image/*')
  if (value instanceof Uint8Array) return file(value, 'image/*')
  const part = (value ?? {}) as Record<string, unknown>
  switch (part.type) {
    case 'image_url':
    case 'input_image': {
      const image = part.image_url as { url?: unknown } | string | undefined
      return fromUrl(String(typeof image === 'string' ? image : image?.url), 'image/*')
    }
    case 'input_audio': {
      const { data, format } = (part.input_audio ?? {}) as { data?: unknown; format?: unknown }
      return file(String(data), format === 'mp3' ? 'audio/mpeg' : `audio/${String(format)}`)
    }
    case 'image':
      return fromData(part.image, typeof part.mediaType === 'string' ? part.mediaType : undefined)
    case 'file':
      return 'file' in part ? fromOpenAiFile(part.file) : (value as FilePart)
    default:
      return undefined
  }
}

function file(data: FilePart['data'], mediaType: string, filename?: unknown): FilePart {
  return { type: 'file', data, mediaType, ...(typeof filename === 'string' ? { filename } : {}) }
}

function fromOpenAiFile(value: unknown): FilePart {
  const { file_data: data, filename } = (value ?? {}) as { file_data?: unknown; filename?: unknown }
  const { data: bytes, mediaType } = fromUrl(String(data), 'application/octet-stream')
  return file(bytes, mediaType, filename)
}

/** The AI SDK's image part: bytes, base64, a data URL or an address. */
function fromData(data: unknown, mediaType?: string): FilePart {
  if (typeof data !== 'string') return file(data as Uint8Array | URL, mediaType ?? 'image/*')
  if (/^(?:data|https?):/i.test(data)) return fromUrl(data, mediaType ?? 'image/*')
  return file(data, mediaType ?? imageTypeOf(data) ?? 'image/*')
}

function fromUrl(url: string, otherwise: string): FilePart {
  const inline = /^data:([^;,]*)[^,]*;base64,/i.exec(url.slice(0, 200))
  if (inline) return file(url.slice(inline[0].length), inline[1] || otherwise)
  return file(URL.canParse(url) ? new URL(url) : url, otherwise)
}
