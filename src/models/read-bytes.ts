import { InvalidMessageError } from '../log/error.ts'
import type { Media } from './media.ts'

/** Reads a file that is given as base64, a data URL, an address or an array of bytes. */
export function readBytes(
  value: unknown,
  mediaType: string,
  seq: number,
  where: string,
  filename?: string,
): Media {
  const name = filename === undefined ? {} : { filename }
  const text = value instanceof URL ? value.href : value
  if (typeof text !== 'string') {
    const base64 = toBase64(text)
    if (base64 !== undefined) {
      return { type: 'bytes', base64, mediaType: wholeType(mediaType, base64), ...name }
    }
    throw new InvalidMessageError(seq, `"${where}" must hold base64, a data URL or bytes`)
  }
  if (/^https?:\/\//i.test(text)) return { type: 'url', url: text, mediaType }
  const data = /^data:([^;,]*)[^,]*;base64,/i.exec(text)
  const base64 = (data ? text.slice(data[0].length) : text).replace(/\s+/g, '')
  // Refuses names of files: a client library might read them from disk.
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) {
    throw new InvalidMessageError(seq, `"${where}" is not base64: read the file and pass its bytes as base64`)
  }
  return { type: 'bytes', base64, mediaType: data?.[1] || wholeType(mediaType, base64), ...name }
}

/** Completes a media type such as `image/*` by the first bytes. */
function wholeType(mediaType: string, base64: string): string {
  if (mediaType.includes('/') && !mediaType.endsWith('/*')) return mediaType
  const known = beginnings.find(([beginning]) => base64.startsWith(beginning))
  return known?.[1] ?? (mediaType.startsWith('image') ? 'image/png' : 'application/octet-stream')
}

const beginnings: readonly (readonly [beginning: string, mediaType: string])[] = [
  ['iVBOR', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
]

function toBase64(value: unknown): string | undefined {
  const bytes = toBytes(value)
  if (!bytes) return undefined
  let text = ''
  // In pieces: a function call takes only so many arguments.
  for (let at = 0; at < bytes.length; at += 32_768) {
    text += String.fromCharCode(...bytes.subarray(at, at + 32_768))
  }
  return btoa(text)
}

function toBytes(value: unknown): Uint8Array | undefined {
  if (value instanceof Uint8Array) return value
  if (value instanceof ArrayBuffer) return new Uint8Array(value)
  // Node's Buffer as JSON.
  const { type, data } = (value ?? {}) as { type?: unknown; data?: unknown }
  return type === 'Buffer' && Array.isArray(data) ? Uint8Array.from(data as number[]) : undefined
}
