import { InvalidMessageError } from '@throughline/core/errors'
import type { Fields } from '@throughline/core/fields'
import { type MessageLike, outputParts } from '@throughline/core/messages'
import { toBase64 } from '@throughline/core/values'

export type Media =
  | {
      readonly type: 'bytes'
      readonly base64: string
      readonly mediaType: string
      readonly filename?: string
    }
  | { readonly type: 'url'; readonly url: string; readonly mediaType: string }
  /** A file that only its own provider can read: an id of an upload, a recording. */
  | { readonly type: 'foreign'; readonly kind: string }

export const isImage = (media: Media): boolean =>
  media.type !== 'foreign' && /^image(\/|$)/.test(media.mediaType)

/** A file as it can be sent: by its address, or as a data URL. */
export function sentFile(file: Media | undefined, seq: number) {
  if (!file || file.type === 'foreign')
    throw new InvalidMessageError(
      seq,
      `has a file (${file?.kind ?? 'unknown'}) that cannot be converted`,
    )
  return file.type === 'url'
    ? { ...file, filename: undefined }
    : { ...file, url: `data:${file.mediaType};base64,${file.base64}` }
}

/** The files of a message in order, and those of each of its tool results. Throws InvalidMessageError for an unreadable file. */
export function readMedia(source: MessageLike, seq: number) {
  const images = Array.isArray(source.images) ? source.images : []
  const parts = (Array.isArray(source.content) ? source.content : []) as readonly (
    | Fields
    | string
  )[]
  const files = images.map((image, at) => readBytes(image, 'image', seq, `images[${at}]`))
  const results: Media[][] = []
  for (const [at, part] of parts.entries()) {
    if (typeof part === 'string') continue
    if (part.type === 'tool-result') results.push(readOutput(part, seq, `content[${at}]`))
    const media = readPart(part, seq, `content[${at}]`)
    if (media) files.push(media)
  }
  return { files, results }
}

/** The file of a part of any kind, also of an unknown one; undefined for texts, thoughts, calls and results. */
export function readFile(part: unknown): Media | undefined {
  if (typeof part !== 'object' || part === null) return undefined
  const { type } = part as Fields
  return notFiles.has(type)
    ? undefined
    : (readPart(part as Fields, 0, 'part') ?? { type: 'foreign', kind: String(type) })
}

const notFiles: ReadonlySet<unknown> = new Set(
  'text input_text output_text refusal reasoning thinking tool-call tool-result'.split(' '),
)

export function readPart(part: Fields, seq: number, where: string): Media | undefined {
  const mediaType = String(part.mediaType ?? part.mimeType ?? '')
  const name = part.filename ?? part.name
  const filename = typeof name === 'string' ? name : undefined
  switch (part.type) {
    case 'image_url':
    case 'input_image': {
      const url = (part.image_url as { url?: unknown } | undefined)?.url ?? part.image_url
      return url === undefined
        ? { type: 'foreign', kind: part.type }
        : readBytes(url, 'image', seq, `${where}.image_url`)
    }
    case 'image':
      return readBytes(part.image ?? part.data, mediaType || 'image', seq, `${where}.image`)
    case 'file':
      if ('file' in part) return readOpenAiFile(part.file, seq, `${where}.file`)
      return readData(part.data, mediaType, seq, `${where}.data`, filename)
    case 'media':
    case 'image-data':
    case 'file-data':
      return readBytes(part.data, mediaType, seq, `${where}.data`, filename)
    case 'image-url':
    case 'file-url':
      return readBytes(
        part.url,
        mediaType || (part.type === 'image-url' ? 'image' : ''),
        seq,
        `${where}.url`,
      )
    case 'input_audio': {
      const { data, format } = (part.input_audio ?? {}) as Fields
      return readBytes(data, `audio/${String(format)}`, seq, `${where}.input_audio.data`)
    }
    case 'input_file':
    case 'image-file-id':
    case 'image-file-reference':
    case 'file-id':
    case 'file-reference':
      return { type: 'foreign', kind: part.type }
    default:
      return undefined
  }
}

/** A file in the form of chat completions: its data, or the id of an upload. */
function readOpenAiFile(value: unknown, seq: number, where: string): Media {
  const { file_data, file_id, filename } = (value ?? {}) as Fields
  if (file_data === undefined && file_id !== undefined) return { type: 'foreign', kind: 'file' }
  const name = typeof filename === 'string' ? filename : undefined
  return readBytes(file_data, 'application/pdf', seq, `${where}.file_data`, name)
}

function readOutput(part: Fields, seq: number, where: string): Media[] {
  return (outputParts(part) ?? []).flatMap((one, at) => {
    if (one?.type === 'text') return []
    const media = readPart(one, seq, `${where}.output.value[${at}]`)
    if (!media)
      throw new InvalidMessageError(seq, `"${where}.output.value[${at}]" is of an unknown type`)
    return [media]
  })
}

/** Reads the data of a file part. In AI SDK 7 it says what it is. */
function readData(
  value: unknown,
  mediaType: string,
  seq: number,
  where: string,
  filename?: string,
): Media {
  const { type, data, url, text } = (value ?? {}) as Fields
  switch (type) {
    case 'data':
    case 'url':
      return readBytes(type === 'url' ? url : data, mediaType, seq, `${where}.${type}`, filename)
    case 'text':
      return readBytes(
        new TextEncoder().encode(String(text)),
        mediaType,
        seq,
        `${where}.text`,
        filename,
      )
    case 'reference':
      return { type: 'foreign', kind: mediaType || 'file' }
    default:
      return readBytes(value, mediaType, seq, where, filename)
  }
}

/** Reads a file that is given as base64, a data URL, an address or an array of bytes. */
function readBytes(
  value: unknown,
  mediaType: string,
  seq: number,
  where: string,
  filename?: string,
): Media {
  const text = value instanceof URL ? value.href : value
  if (typeof text !== 'string') {
    const bytes = toBytes(text)
    if (!bytes)
      throw new InvalidMessageError(seq, `"${where}" must hold base64, a data URL or bytes`)
    const base64 = toBase64(bytes)
    return { type: 'bytes', base64, mediaType: wholeType(mediaType, base64), filename }
  }
  if (/^https?:\/\//i.test(text)) return { type: 'url', url: text, mediaType }
  const data = /^data:([^;,]{0,200})[^,]{0,1000};base64,/i.exec(text)
  const base64 = toPlainBase64(data ? text.slice(data[0].length) : text)
  // Refuses names of files: a client library might read them from disk.
  if (base64 === undefined)
    throw new InvalidMessageError(
      seq,
      `"${where}" is not base64: read the file and pass its bytes as base64`,
    )
  return { type: 'bytes', base64, mediaType: data?.[1] || wholeType(mediaType, base64), filename }
}

/** Base64 as every server takes it: in the usual letters, and padded. Undefined if it is none. */
function toPlainBase64(text: string): string | undefined {
  const letters = text.replace(/\s+/g, '').replace(/={1,2}$/, '')
  if (letters.length % 4 === 1 || !/^[A-Za-z0-9+/_-]+$/.test(letters)) return undefined
  const plain = letters.replaceAll('-', '+').replaceAll('_', '/')
  return plain + '='.repeat((4 - (plain.length % 4)) % 4)
}

/** Completes a media type such as `image/*` by the first bytes. */
function wholeType(mediaType: string, base64: string): string {
  if (mediaType.includes('/') && !mediaType.endsWith('/*')) return mediaType
  return (
    imageTypeOf(base64) ??
    (mediaType.startsWith('image') ? 'image/png' : 'application/octet-stream')
  )
}

export const imageTypeOf = (base64: string): string | undefined =>
  beginnings.find(([beginning]) => base64.startsWith(beginning))?.[1]

const beginnings: readonly (readonly [beginning: string, mediaType: string])[] = [
  ['iVBOR', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
]

function toBytes(value: unknown): Uint8Array | undefined {
  if (value instanceof Uint8Array) return value
  if (value instanceof ArrayBuffer) return new Uint8Array(value)
  // Node's Buffer as JSON.
  const { type, data } = (value ?? {}) as Fields
  return type === 'Buffer' && Array.isArray(data) ? Uint8Array.from(data as number[]) : undefined
}
