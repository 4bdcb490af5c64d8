import type { MessageLike } from '@throughline/core/messages'
import { parseJson } from '@throughline/core/values'
import { type PairedCall, type PairedMessage, pairResults } from '../../pair-results.ts'
import { imageTypeOf } from '../../read-media.ts'
import { fieldsOf } from '../../read-text.ts'
import type {
  AiSdkMessage,
  CallPart,
  FilePart,
  PlainPart,
  PromptPart,
  ResultPart,
} from './ai-sdk-model.ts'

/** The ids of calls. A call without one gets an id that is new in the prompt, because some providers insist on it. */
type Ids = Map<PairedCall, string>

export function toPrompt(messages: readonly MessageLike[]): AiSdkMessage[] {
  const prompt: AiSdkMessage[] = []
  const ids: Ids = new Map()
  for (const paired of pairResults(messages)) {
    const { seq, source, message, calls } = paired
    for (const [at, call] of calls.entries()) ids.set(call, call.id ?? `call_${seq}_${at}`)
    const options = optionsOf(source)
    switch (message.role) {
      case 'system':
        prompt.push({ role: 'system', content: message.text, ...options })
        break
      case 'user':
        prompt.push({
          role: 'user',
          content: toParts(source) as (PlainPart | FilePart)[],
          ...options,
        })
        break
      case 'assistant':
        prompt.push({ role: 'assistant', content: assistantParts(paired, ids), ...options })
        break
      case 'tool': {
        const content = toResults(paired, ids)
        const last = prompt.at(-1)
        // In the AI SDK the results of a round are one message.
        if (last?.role === 'tool' && !options) last.content = [...last.content, ...content]
        else prompt.push({ role: 'tool', content, ...options })
      }
    }
  }
  return prompt
}

/** Puts the calls, which Ollama and OpenAI have beside the content, among the parts. */
function assistantParts({ source, calls }: PairedMessage, ids: Ids): PromptPart[] {
  const parts = toParts(source)
  const inside = parts.filter(part => part.type === 'tool-call').length
  const beside = calls.slice(0, calls.length - inside).map((call): CallPart => {
    const json = parseJson(call.arguments)
    // What a model wrote may be no JSON, and is then sent back as text.
    const input = json === undefined ? call.arguments : json
    return { type: 'tool-call', toolCallId: ids.get(call)!, toolName: call.name, input }
  })
  return [...parts, ...beside]
}

/** Adds the id and the name of its call to each result: messages of Ollama and OpenAI may lack them. */
function toResults({ source, seq, results }: PairedMessage, ids: Ids): ResultPart[] {
  const parts = (Array.isArray(source.content) ? source.content : []).filter(
    part => typeof part !== 'string',
  )
  const items = parts.filter(part => part?.type === 'tool-result')
  const images = Array.isArray(source.images) ? source.images : []
  const files = [...parts, ...images].map(toFilePart).filter(file => file !== undefined)
  return results.map(({ call, callId, name, text }, at) => {
    if (items[at]?.output !== undefined && items[at].toolCallId !== undefined)
      return items[at] as ResultPart
    return {
      type: 'tool-result',
      // A stray result is passed on: the provider refuses it, and says so.
      toolCallId: (call && ids.get(call)) ?? callId ?? `call_${seq}_${at}`,
      toolName: call?.name ?? name ?? 'unknown',
      output: toOutput(text, files),
    }
  })
}

function toOutput(text: string, files: readonly FilePart[]): ResultPart['output'] {
  if (files.length === 0) return { type: 'text', value: text }
  const value = files.map(({ data, mediaType }) =>
    data instanceof URL
      ? { type: 'image-url' as const, url: data.href }
      : { type: 'image-data' as const, data: String(data), mediaType },
  )
  return { type: 'content', value: text === '' ? value : [{ type: 'text', text }, ...value] }
}

function optionsOf(source: MessageLike): Pick<AiSdkMessage, 'providerOptions'> | undefined {
  const { providerOptions } = source as Pick<AiSdkMessage, 'providerOptions'>
  return providerOptions ? { providerOptions } : undefined
}

export type AnyPart = { readonly type: string } & Readonly<Record<string, unknown>>

/** Converts the content of a message to parts of an AI SDK prompt. The AI SDK's own parts stay the same objects. */
export function toParts(source: MessageLike): PromptPart[] {
  const { content, images } = source
  const texts = Array.isArray(content) ? content.flatMap(toPart) : textPart(content)
  const shown = Array.isArray(images) ? images.map(image => toFilePart(image)) : []
  const parts: unknown[] = [
    ...reasoningOf(source),
    ...texts,
    ...shown.filter(file => file !== undefined),
  ]
  // Parts of an unknown kind are passed on: the provider knows or refuses them.
  return parts as PromptPart[]
}

/** The reasoning that Ollama and OpenAI-compatible servers put beside the content, under three names. */
function reasoningOf(source: MessageLike): AnyPart[] {
  const { thinking, reasoning_content, reasoning } = source as MessageLike & Record<string, unknown>
  const text = thinking ?? reasoning_content ?? reasoning
  return typeof text === 'string' && text !== '' ? [{ type: 'reasoning', text }] : []
}

const textPart = (text: unknown): AnyPart[] =>
  typeof text === 'string' && text !== '' ? [{ type: 'text', text }] : []

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
function toFilePart(value: unknown): FilePart | undefined {
  // Ollama's images are bare base64.
  if (typeof value === 'string') return file(value, imageTypeOf(value) ?? 'image/*')
  if (value instanceof Uint8Array) return file(value, 'image/*')
  const part = (value ?? {}) as Record<string, unknown>
  switch (part.type) {
    case 'image_url':
    case 'input_image': {
      const { image_url: image } = part
      return fromUrl(String(typeof image === 'string' ? image : fieldsOf(image).url), 'image/*')
    }
    case 'input_audio': {
      const { data, format } = fieldsOf(part.input_audio)
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

const file = (data: FilePart['data'], mediaType: string): FilePart => ({
  type: 'file',
  data,
  mediaType,
})

function fromOpenAiFile(value: unknown): FilePart {
  const { file_data: data, file_id: id, filename } = fieldsOf(value)
  // A file that was uploaded has only its name at the provider, which providers take in place of data.
  const part = fromUrl(String(data ?? id), 'application/octet-stream')
  return typeof filename === 'string' ? { ...part, filename } : part
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
