import { normalizeText } from '../../history/log/logged-message.ts'

/** Makes a text that comes in pieces what the log will have of it, so that a client never sees anything else. */
export function createWholeText() {
  let half = ''
  return {
    /** The next piece. The first half of a surrogate pair waits for its other half, which comes with the next piece. */
    push(piece: string): string {
      const text = half + piece
      half = isFirstHalf(text.charCodeAt(text.length - 1)) ? text.slice(-1) : ''
      return cleaned(half === '' ? text : text.slice(0, -1))
    },
    /** What is left when no more comes. */
    end: () => normalizeText(half),
  }
}

const isFirstHalf = (code: number) => code >= 0xd800 && code <= 0xdbff

/** Nearly all texts are fine, which is seen soonest so. */
const cleaned = (text: string) => (text.isWellFormed() && !text.includes('\0') ? text : normalizeText(text))

/** The arguments of a call as the log will have them, also where JSON writes the characters as escapes. */
export const cleanArguments = (json: string): string =>
  cleaned(json).replace(escapes, (match, odd?: string) => (odd === undefined ? match : '\\ufffd'))

/** Whole pairs and other escapes are passed over, so that what is left is NUL or a lone half. */
const escapes = /\\ud[89ab][\da-f]{2}\\ud[c-f][\da-f]{2}|\\u(0000|d[89a-f][\da-f]{2})|\\./gis
