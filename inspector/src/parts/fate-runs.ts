import { type Fate, fateNames } from './fates.ts'

export interface FateRun {
  readonly first: number
  readonly last: number
  readonly fate: Fate
}

/** A fate by its first letter. */
const fateOf = (letter: string): Fate => fateNames.find(name => name[0] === letter) ?? 'omitted'

/** Reads the fates of a line of the timeline: `2k14e1r`, from entry 1 on. */
export function readFates(text: string): readonly FateRun[] {
  const runs: FateRun[] = []
  let first = 1
  for (const [, many, letter] of text.matchAll(/(\d+)([a-z])/g)) {
    const last = first + Number(many) - 1
    runs.push({ first, last, fate: fateOf(letter!) })
    first = last + 1
  }
  return runs
}

/** The run that contains an entry; undefined if none does. */
export function runAt<Run extends { readonly first: number; readonly last: number }>(
  runs: readonly Run[],
  seq: number,
): Run | undefined {
  let [from, to] = [0, runs.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if (runs[middle]!.last < seq) from = middle + 1
    else to = middle
  }
  const run = runs[from]
  return run && run.first <= seq ? run : undefined
}

export const fateAt = (runs: readonly FateRun[], seq: number): Fate | undefined => runAt(runs, seq)?.fate

/** The fate of one entry in a text of fates, without reading all of it. */
export function fateInText(text: string, seq: number): Fate | undefined {
  let left = seq
  let many = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code <= 57) many = many * 10 + code - 48
    else {
      if (left <= many) return fateOf(text[at]!)
      left -= many
      many = 0
    }
  }
  return undefined
}
