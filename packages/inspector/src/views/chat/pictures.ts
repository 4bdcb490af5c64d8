import type { Fields } from '@throughline/core/fields'
import type { ShownMessage } from '../../api/chat-queries.ts'

/** What a picture begins with, in base64, and its kind. Others are not drawn: a page of the log draws no documents. */
const kinds: readonly (readonly [start: string, type: string])[] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
]

const mostCharacters = 16_000_000

/** The pictures of a message, as addresses of their own bytes. Nothing is loaded from elsewhere. */
export function picturesOf(shown: ShownMessage): readonly string[] {
  const { images, content } = shown as Fields
  const parts = (Array.isArray(content) ? content : []) as readonly (Fields | string | null)[]
  return [...(Array.isArray(images) ? images : []), ...parts.map(bytesOf)].flatMap(value => {
    if (typeof value !== 'string' || value.length > mostCharacters) return []
    const base64 = value.startsWith('data:') ? value.slice(value.indexOf(',') + 1) : value
    const [, type] = kinds.find(([start]) => base64.startsWith(start)) ?? []
    return type === undefined ? [] : [`data:${type};base64,${base64}`]
  })
}

/** Where a part of any form has its bytes or its address. */
function bytesOf(part: Fields | string | null): unknown {
  if (typeof part !== 'object' || part === null) return undefined
  const { image_url, image, data, source } = part
  const address = (image_url as Fields | undefined)?.url ?? image_url
  return address ?? image ?? data ?? (source as Fields | undefined)?.data
}
