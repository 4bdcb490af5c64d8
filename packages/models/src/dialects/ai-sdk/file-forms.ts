import { outputParts } from '@throughline/core/messages'
import { isObject } from '@throughline/core/values'
import { fieldsOf } from '../../read-text.ts'
import type { AiSdkMessage, AiSdkMessageV4, BareData, TaggedData } from './ai-sdk-model.ts'
import type { AnyPart } from './to-prompt.ts'

/** A prompt for a model of AI SDK 7: the data of a file says what it is, and tool results hold files as messages do. */
export const toV4Prompt = (prompt: readonly AiSdkMessage[], provider: string): AiSdkMessageV4[] =>
  changeFiles(prompt, tagged, part => toV4Shown(part, provider)) as AiSdkMessageV4[]

/** A prompt for a model of AI SDK 5 or 6: the data of a file is bare, and tool results have other words for files. */
export const toV3Prompt = (prompt: readonly AiSdkMessage[]): AiSdkMessage[] =>
  changeFiles(prompt, bare, toV3Shown) as AiSdkMessage[]

/** Changes the files of all messages, and those that tool results show. Other parts stay the same objects. */
function changeFiles(
  prompt: readonly AiSdkMessage[],
  toData: (data: unknown) => TaggedData | BareData,
  toShown: (part: AnyPart) => object,
): object[] {
  const change = (part: AnyPart): object => {
    if (part.type === 'file' || part.type === 'reasoning-file')
      return { ...part, data: toData(part.data) }
    const shown = outputParts(part) as readonly AnyPart[] | undefined
    return shown
      ? { ...part, output: { ...(part.output as object), value: shown.map(toShown) } }
      : part
  }
  return prompt.map(message =>
    message.role === 'system'
      ? message
      : { ...message, content: (message.content as object as AnyPart[]).map(change) },
  )
}

const tags: ReadonlySet<unknown> = new Set(['data', 'url', 'reference', 'text'])

function tagged(data: unknown): TaggedData {
  if (tags.has((data as { type?: unknown } | null)?.type)) return data as TaggedData
  if (data instanceof URL) return { type: 'url', url: data }
  return isReference(data)
    ? { type: 'reference', reference: data }
    : { type: 'data', data: data as Uint8Array }
}

/** An upload: its id by the name of a provider. AI SDK 7 also takes it without a tag. */
function isReference(data: unknown): data is Record<string, string> & { type?: never } {
  if (!isObject(data) || Object.getPrototypeOf(data) !== Object.prototype) return false
  return Object.values(data).every(id => typeof id === 'string')
}

/** Uploads and texts have no bare form: the provider refuses them, and says so. */
function bare(value: unknown): BareData {
  const { type, data, url } = fieldsOf(value)
  return (type === 'data' ? data : type === 'url' ? url : value) as BareData
}

/** A file in a tool result of AI SDK 5 or 6, as 7 has it. */
function toV4Shown(part: AnyPart, provider: string): object {
  const { type, data, url, fileId, providerReference, mediaType, ...rest } = part
  const file = (data: object, otherwise: string) => ({
    ...{ ...rest, type: 'file', data },
    mediaType: mediaType ?? (type.startsWith('image') ? 'image' : otherwise),
  })
  switch (type) {
    case 'file':
    case 'media':
    case 'file-data':
    case 'image-data':
      return file(tagged(data), 'application/octet-stream')
    case 'file-url':
    case 'image-url':
      return file({ type: 'url', url: new URL(String(url)) }, 'application/octet-stream')
    case 'file-id':
    case 'image-file-id': {
      const reference =
        typeof fileId === 'string' ? { [provider.split('.')[0] ?? provider]: fileId } : fileId
      return file({ type: 'reference', reference }, 'application')
    }
    case 'file-reference':
    case 'image-file-reference':
      return file({ type: 'reference', reference: providerReference }, 'application')
    default:
      return part
  }
}

/** A file in a tool result of AI SDK 7, as 6 has it. */
function toV3Shown(part: AnyPart): object {
  if (part.type !== 'file') return part
  const { data, mediaType, ...rest } = part
  const { type, reference } = tagged(data) as { type: string; reference?: unknown }
  if (type === 'reference') return { ...rest, type: 'file-id', fileId: reference }
  const isImage = /^image(\/|$)/.test(String(mediaType))
  const plain = bare(data)
  if (plain instanceof URL)
    return { ...rest, type: isImage ? 'image-url' : 'file-url', url: plain.href }
  return { ...rest, type: isImage ? 'image-data' : 'file-data', data: plain, mediaType }
}
