/**
 * The prices of characters beyond Latin: the first code unit that no longer belongs to a script (the list is in order),
 * what a run of the script costs once, and what each of its characters costs.
 */
export type Script = readonly [end: number, run: number, each: number]

/**
 * Fitted to the larger count of o200k and cl100k. cl100k knows few letters beyond Latin, often one or two tokens each;
 * o200k needs about half for Russian, Arabic, Hindi and Korean.
 */
export const scripts: readonly Script[] = [
  [0x370, 0, 1.5], // signs of Latin-1, accents
  [0x400, 0.2, 1.05], // Greek
  [0x430, 0, 2], // Cyrillic capitals
  [0x450, 0.5, 0.37], // Cyrillic as Russian has it
  [0x530, 0, 1.9], // Ukrainian, Serbian and others
  [0x590, 1, 1.9], // Armenian
  [0x600, 1.2, 0.9], // Hebrew
  [0x780, 1.2, 0.76], // Arabic
  [0x900, 0.2, 3],
  [0x980, 0.7, 0.96], // Devanagari
  [0xe00, 0, 1.95], // Bengali, Tamil, Telugu and their neighbours
  [0xe80, 1.2, 0.95], // Thai
  [0x10a0, 1.2, 1.95], // Lao, Tibetan, Burmese
  [0x1100, 1, 1.9], // Georgian
  [0x1200, 0, 1.25], // Hangul letters
  [0x1780, 0.2, 3],
  [0x1800, 1.2, 1.95], // Khmer
  [0x1e00, 0.2, 3],
  [0x2000, 0, 1.5], // Vietnamese, old Greek
  [0x2070, 0, 1], // dashes, quotation marks, joiners
  [0x2500, 0.2, 2], // arrows, mathematics
  [0x2580, 1.5, 0.6], // boxes: a line of one is one run
  [0x2800, 0.2, 2], // blocks, shapes, symbols
  [0x2900, 0.2, 3], // braille, as spinners draw with it
  [0x2e80, 0.2, 2.5],
  [0x3040, 0, 1.2], // Chinese and Japanese punctuation
  [0x3100, 0.2, 0.85], // kana
  [0x3400, 0, 1.85],
  [0xa000, 0, 1.33], // Han
  [0xac00, 0.2, 3],
  [0xd7b0, 0, 1.25], // Hangul
  [0xd800, 0.2, 3],
  [0xe000, 0, 1.6], // half of an emoji or of another character beyond the first 65,536
  [0xfe00, 0.2, 3],
  [0xfe10, 0, 2], // variation selectors
  [0x10000, 0.2, 1.9], // full width forms
]
