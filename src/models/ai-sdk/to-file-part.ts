import type { FilePart } from './ai-sdk-model.ts'

/** Converts an image or file of any provider to the AI SDK's file part; undefined for other parts. */
export function toFilePart(value: unknown): FilePart | undefined {
  // Ollama's images are bare base64.
  if (typeof value === 'string') return file(value, imageType(value))
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
  return file(data, mediaType ?? imageType(data))
}

function fromUrl(url: string, otherwise: string): FilePart {
  const inline = /^data:([^;,]*)[^,]*;base64,/i.exec(url.slice(0, 200))
  if (inline) return file(url.slice(inline[0].length), inline[1] || otherwise)
  return file(URL.canParse(url) ? new URL(url) : url, otherwise)
}

/** The type of an image, by its first bytes in base64. */
function imageType(base64: string): string {
  const found = Object.entries(beginnings).find(([beginning]) => base64.startsWith(beginning))
  return found?.[1] ?? 'image/*'
}

const beginnings: Readonly<Record<string, string>> = {
  iVBORw: 'image/png',
  '/9j/': 'image/jpeg',
  R0lGOD: 'image/gif',
  UklGR: 'image/webp',
}
