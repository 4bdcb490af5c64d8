import { isImage, readMedia } from '../../../../src/models/read-media.ts'
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
  const { files, results } = readMedia(shown, shown.seq)
  return [...files, ...results.flat()].flatMap(file => {
    if (file.type !== 'bytes' || !isImage(file) || file.base64.length > mostCharacters) return []
    const [, type] = kinds.find(([start]) => file.base64.startsWith(start)) ?? []
    return type === undefined ? [] : [`data:${type};base64,${file.base64}`]
  })
}
