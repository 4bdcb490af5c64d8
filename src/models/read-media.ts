import { InvalidMessageError } from '../log/error.ts'
import type { MessageLike } from '../log/message.ts'
import type { Media } from './media.ts'
import { readBytes } from './read-bytes.ts'

type Part = Readonly<Record<string, unknown>>

/** The files of a message in order, and those of each of its tool results. */
export function readMedia(
  source: MessageLike,
  seq: number,
): { readonly own: readonly Media[]; readonly results: readonly (readonly Media[])[] } {
  const images = Array.isArray(source.images) ? source.images : []
  const parts = (Array.isArray(source.content) ? source.content : []) as readonly (Part | string)[]
  const own = images.map((image, at) => readBytes(image, 'image', seq, `images[${at}]`))
  const results: Media[][] = []
  for (const [at, part] of parts.entries()) {
    if (typeof part === 'string') continue
    if (part.type === 'tool-result') results.push(readOutput(part, seq, `content[${at}]`))
    const media = readPart(part, seq, `content[${at}]`)
    if (media) own.push(media)
  }
  return { own, results }
}

/** The file of a part; undefined for texts, calls and unknown parts. */
export function readPart(part: Part, seq: number, where: string): Media | undefined {
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
      if ('file' in part) return { type: 'foreign', kind: 'file' }
      return readBytes(part.data, mediaType, seq, `${where}.data`, filename)
    case 'media':
    case 'image-data':
    case 'file-data':
      return readBytes(part.data, mediaType, seq, `${where}.data`, filename)
    case 'image-url':
    case 'file-url':
      return readBytes(part.url, mediaType || (part.type === 'image-url' ? 'image' : ''), seq, `${where}.url`)
    case 'input_audio':
    case 'input_file':
    case 'image-file-id':
    case 'file-id':
      return { type: 'foreign', kind: part.type }
    default:
      return undefined
  }
}

function readOutput(part: Part, seq: number, where: string): Media[] {
  const { type, value } = (part.output ?? {}) as Part
  if (type !== 'content' || !Array.isArray(value)) return []
  return value.flatMap((one: Part, at) => {
    if (one?.type === 'text') return []
    const media = readPart(one, seq, `${where}.output.value[${at}]`)
    if (!media) throw new InvalidMessageError(seq, `"${where}.output.value[${at}]" is of an unknown type`)
    return [media]
  })
}
