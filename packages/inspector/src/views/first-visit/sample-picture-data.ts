import type { Part } from '../../parts/fates.ts'

/** The messages that the model got in the last turn of the sample: part, tokens, and the entries that are in it. */
type SampleRow = readonly [part: Part, tokens: number, ...entries: readonly number[]]

const sent: readonly SampleRow[] = [
  ['system', 170, 1],
  ['first', 173, 2],
  ['marker', 16],
  ['journal', 97],
  ['history', 22, 486],
  ['history', 250, 487],
  ['history', 43, 488],
  ['history', 42, 489],
  ['history', 106, 490],
  ['history', 21, 491],
  ['history', 55, 492],
  ['history', 48, 493],
  ['history', 47, 494],
  ['history', 32, 495],
  ['history', 31, 496],
  ['history', 21, 497],
  ['history', 55, 498],
  ['history', 49, 499],
  ['history', 31, 500],
  ['history', 31, 501],
  ['history', 55, 502],
  ['history', 50, 503],
  ['history', 18, 504],
  ['history', 25, 505],
  ['history', 51, 506],
  ['history', 140, 507],
  ['history', 54, 508],
  ['history', 12, 509],
  ['history', 51, 510],
  ['history', 132, 511],
  ['history', 53, 512],
  ['history', 22, 513],
  ['history', 49, 514],
  ['history', 31, 515],
  ['history', 80, 516],
  ['history', 271, 517],
  ['history', 54, 518],
  ['history', 38, 519],
  ['history', 41, 520],
  ['history', 48, 521],
  ['history', 29, 522],
  ['recall', 386, 4, 20, 21, 167, 169, 171, 226, 235, 411, 416],
  ['latest', 130, 523],
]

/** The last turn in a window of 4,096 tokens; a test compares it with the server. `reused`: the tokens that the turn before had. */
export const samplePicture = { messages: 523, tokens: 3192, reused: 2647, sent }
