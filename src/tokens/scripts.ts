/** The prices of characters beyond Latin: a run of one script costs `run` once, and `each` for every character. */
export interface Script {
  /** The first code unit that no longer belongs here: the list is in order. */
  readonly end: number
  readonly run: number
  readonly each: number
}

/**
 * Fitted to the larger count of o200k and cl100k. cl100k knows few letters beyond Latin, often one or two tokens each;
 * o200k needs about half for Russian, Arabic, Hindi and Korean.
 */
export const scripts: readonly Script[] = [
  { end: 0x370, run: 0, each: 1.5 }, // signs of Latin-1, accents
  { end: 0x400, run: 0.2, each: 1.05 }, // Greek
  { end: 0x430, run: 0, each: 2 }, // Cyrillic capitals
  { end: 0x450, run: 0.5, each: 0.37 }, // Cyrillic as Russian has it
  { end: 0x530, run: 0, each: 1.9 }, // Ukrainian, Serbian and others
  { end: 0x590, run: 1, each: 1.9 }, // Armenian
  { end: 0x600, run: 1.2, each: 0.9 }, // Hebrew
  { end: 0x780, run: 1.2, each: 0.76 }, // Arabic
  { end: 0x900, run: 0.2, each: 3 },
  { end: 0x980, run: 0.7, each: 0.96 }, // Devanagari
  { end: 0xe00, run: 0, each: 1.95 }, // Bengali, Tamil, Telugu and their neighbours
  { end: 0xe80, run: 1.2, each: 0.95 }, // Thai
  { end: 0x10a0, run: 1.2, each: 1.95 }, // Lao, Tibetan, Burmese
  { end: 0x1100, run: 1, each: 1.9 }, // Georgian
  { end: 0x1200, run: 0, each: 1.25 }, // Hangul letters
  { end: 0x1780, run: 0.2, each: 3 },
  { end: 0x1800, run: 1.2, each: 1.95 }, // Khmer
  { end: 0x1e00, run: 0.2, each: 3 },
  { end: 0x2000, run: 0, each: 1.5 }, // Vietnamese, old Greek
  { end: 0x2070, run: 0, each: 1 }, // dashes, quotation marks, joiners
  { end: 0x2500, run: 0.2, each: 2 }, // arrows, mathematics
  { end: 0x2580, run: 1.5, each: 0.6 }, // boxes: a line of one is one run
  { end: 0x2800, run: 0.2, each: 2 }, // blocks, shapes, symbols
  { end: 0x2900, run: 0.2, each: 3 }, // braille, as spinners draw with it
  { end: 0x2e80, run: 0.2, each: 2.5 },
  { end: 0x3040, run: 0, each: 1.2 }, // Chinese and Japanese punctuation
  { end: 0x3100, run: 0.2, each: 0.85 }, // kana
  { end: 0x3400, run: 0, each: 1.85 },
  { end: 0xa000, run: 0, each: 1.33 }, // Han
  { end: 0xac00, run: 0.2, each: 3 },
  { end: 0xd7b0, run: 0, each: 1.25 }, // Hangul
  { end: 0xd800, run: 0.2, each: 3 },
  { end: 0xe000, run: 0, each: 1.6 }, // half of an emoji or of another character beyond the first 65,536
  { end: 0xfe00, run: 0.2, each: 3 },
  { end: 0xfe10, run: 0, each: 2 }, // variation selectors
  { end: 0x10000, run: 0.2, each: 1.9 }, // full width forms
]
