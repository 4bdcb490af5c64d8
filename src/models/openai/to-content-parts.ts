import { InvalidMessageError } from '../../log/error.ts'
import { isImage, type Media } from '../media.ts'
import { readPart } from '../read-media.ts'

type Part = Readonly<Record<string, unknown>>

/** Converts the parts of a content; OpenAI's stay as they are. Thoughts, calls and results are left out. */
export function toContentParts(parts: readonly unknown[], seq: number): readonly unknown[] {
  return parts.flatMap((value, at) => {
    if (typeof value === 'string') return [toText(value)]
    const { providerOptions: _, providerMetadata: __, ...part } = value as Part
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

export function toText(text: string): Part {
  return { type: 'text', text }
}

export function toMediaPart(media: Media | undefined, seq: number): Part {
  if (!media || media.type === 'foreign') {
    throw new InvalidMessageError(seq, `has a file (${media?.kind ?? 'unknown'}) that cannot be converted`)
  }
  const url = media.type === 'url' ? media.url : `data:${media.mediaType};base64,${media.base64}`
  if (isImage(media)) return { type: 'image_url', image_url: { url } }
  if (media.type === 'url') {
    const why = 'has a file by its address, which chat completions do not load: pass its bytes as base64'
    throw new InvalidMessageError(seq, why)
  }
  const audio = /^audio\/(?:x-)?(wav|mp3|mpeg)$/.exec(media.mediaType)?.[1]
  if (audio) {
    const format = audio === 'mpeg' ? 'mp3' : audio
    return { type: 'input_audio', input_audio: { data: media.base64, format } }
  }
  return { type: 'file', file: { filename: media.filename ?? 'file', file_data: url } }
}
