import { InvalidOptionError } from '../log/error.ts'

export interface NoteOptions {
  /**
   * A secret word in the marker: with `a1b2` only `[NOTE TO SELF a1b2: …]` is a note, all else is ordinary text.
   * 1 to 32 letters and digits; they are compared exactly.
   */
  readonly nonce?: string | undefined
}

/**
 * The marker as models write it: any case, any one white-space character for a blank, and one after the bracket and
 * before the colon (`[ Note to self :`). The nonce is exact.
 */
export function createMarker({ nonce }: NoteOptions = {}) {
  checkNonce(nonce)
  const secret = nonce === undefined ? [] : ['\\s', ...nonce]
  const words = [...word('note'), '\\s', ...word('to'), '\\s', ...word('self')]
  const steps = ['\\[', '\\s?', ...words, ...secret, '\\s?', ':']
  // Each step may be the last: `\[(?:\s?(?:[nN](?:…)?)?)?`.
  const beginning = new RegExp(`^${steps.reduceRight((rest, step) => `${step}(?:${rest})?`)}$`)
  return {
    /** Length of the longest form. No more text, and no more white space, is held back. */
    reach: steps.length,
    /** Finds a whole marker anywhere in a text. */
    pattern: new RegExp(steps.join(''), 'g'),
    /** Whether this text, which starts at a bracket, may still become a marker. */
    isBeginning: (text: string) => text.length < steps.length && beginning.test(text),
    /** Whether a broken-off marker is long enough (`[NOTE TO`) to be taken for a note. */
    isUnmistakable: (text: string) => /^\[\s?note\sto/i.test(text),
  }
}

/** Only letters and digits: patterns cannot misread them and small models copy them. */
export function checkNonce(nonce: string | undefined): void {
  if (nonce === undefined || /^[a-z0-9]{1,32}$/i.test(nonce)) return
  throw new InvalidOptionError('nonce', 'must be 1 to 32 letters and digits')
}

function word(letters: string): string[] {
  return [...letters].map(letter => `[${letter}${letter.toUpperCase()}]`)
}
