import type { Part } from '../../parts/fates.ts'

/** The messages that the model got in the last turn of the sample: part, tokens, and the entries that are in it. */
type SampleRow = readonly [part: Part, tokens: number, ...entries: readonly number[]]

const sent: readonly SampleRow[] = [
  ['system', 170, 1],
  ['first', 173, 2],
  ['marker', 16],
  ['journal', 59],
  ['history', 25, 505],
  ['history', 51, 506],
  ['history', 48, 507],
  ['history', 54, 508],
  ['history', 12, 509],
  ['history', 51, 510],
  ['history', 48, 511],
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
  ['recall', 415, 4, 20, 21, 167, 169, 171, 173, 226, 235, 411, 416],
  ['latest', 130, 523],
]

/** The last turn in a window of 4,096 tokens; a test compares it with the server. `reused`: the tokens that the turn before had. */
export const samplePicture = { messages: 523, tokens: 2000, reused: 1426, sent }
