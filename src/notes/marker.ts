import { InvalidOptionError } from '../log/error.ts'
import { noteOpening } from '../log/texts.ts'

export interface NoteOptions {
  /**
   * A secret word in the marker: with `a1b2` only `[NOTE TO SELF a1b2: …]` is a note, all else is ordinary text.
   * 1 to 32 letters and digits; they are compared exactly.
   */
  readonly nonce?: string | undefined
}

/** What begins a note, as the automaton needs it. */
export interface Marker {
  /** The longest form, in characters. Nothing is held back for longer, and no more white space than this. */
  readonly reach: number
  /** The whole marker, anywhere in a text. */
  readonly pattern: RegExp
  /** Does this text, which starts at a bracket, begin a marker that is not yet whole? */
  readonly isBeginning: (text: string) => boolean
  /** A beginning that has come so far that it can hardly be anything else: `[NOTE TO`. */
  readonly isUnmistakable: (text: string) => boolean
}

/** `[NOTE TO SELF:`, or `[NOTE TO SELF a1b2:`. */
export function noteMarker({ nonce }: NoteOptions = {}): string {
  check(nonce)
  return noteOpening(nonce)
}

/**
 * Models do not always write it as they were asked: any case is accepted, a blank may be any one white-space
 * character, and one may stand after the bracket and before the colon (`[ Note to self :`). The nonce is exact.
 */
export function createMarker({ nonce }: NoteOptions = {}): Marker {
  check(nonce)
  const steps = ['\\[', '\\s?', ...word('note'), '\\s', ...word('to'), '\\s', ...word('self')]
  if (nonce !== undefined) steps.push('\\s', ...nonce)
  steps.push('\\s?', ':')
  // Each step may be the last: `\[(?:\s?(?:[nN](?:…)?)?)?`.
  const beginning = new RegExp(`^${steps.reduceRight((rest, step) => `${step}(?:${rest})?`)}$`)
  return {
    reach: steps.length,
    pattern: new RegExp(steps.join(''), 'g'),
    isBeginning: text => text.length < steps.length && beginning.test(text),
    isUnmistakable: text => /^\[\s?note\sto/i.test(text),
  }
}

/** Nothing that a pattern could misread, or that a small model would not copy. */
function check(nonce: string | undefined): void {
  if (nonce === undefined || /^[a-z0-9]{1,32}$/i.test(nonce)) return
  throw new InvalidOptionError('nonce', 'must be 1 to 32 letters and digits')
}

function word(letters: string): string[] {
  return [...letters].map(letter => `[${letter}${letter.toUpperCase()}]`)
}
