import { ModelError } from '../../models/model.ts'

/** The longest reply by default: half a million tokens, and a quarter of the largest entry. */
export const defaultMaxReply = 2 * 1024 * 1024

export function createReplyRoom(most: number) {
  let left = most
  return {
    /** As much of the beginning of a text as there is room for. */
    fit(text: string): string {
      // No character takes more than six bytes.
      if (text.length * 6 <= left) {
        left -= bytesOf(text)
        return text
      }
      let at = 0
      for (const character of text) {
        const bytes = bytesOf(character)
        if (bytes > left) break
        left -= bytes
        at += character.length
      }
      return text.slice(0, at)
    },
    /** Takes the room of something that is kept whole or not at all. */
    take(...texts: readonly string[]): void {
      left -= texts.reduce((sum, text) => sum + bytesOf(text), 0)
      if (left < 0) throw tooLarge(most)
    },
  }
}

export const tooLarge = (most: number, cause?: unknown) =>
  new ModelError(
    'reply_too_large',
    `The model wrote a reply of more than ${most} bytes, so it was cut: ask for less, or raise "${cause ? 'maxEntry' : 'maxReply'}".`,
    { cause },
  )

function bytesOf(text: string): number {
  let bytes = text.length
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < 0x20) bytes += code === 10 || code === 9 || code === 13 ? 1 : 5
    else if (code === 0x22 || code === 0x5c) bytes += 1
    // A pair is four bytes, two for each half.
    else if (code >= 0x80) bytes += code < 0x800 || (code >= 0xd800 && code <= 0xdfff) ? 1 : 2
  }
  return bytes
}
