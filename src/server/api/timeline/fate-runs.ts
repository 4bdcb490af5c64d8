import { type Fate, fates, type ReceiptStretch } from '../../../context/receipt.ts'

export type FateRun = Pick<ReceiptStretch, 'first' | 'last' | 'fate'>

/** The fates of the entries 1 to `at`. An imported call may say nothing of an entry, which then counts as left out. */
export function fateRuns(stretches: readonly FateRun[], at: number): readonly FateRun[] {
  const runs: FateRun[] = []
  let next = 1
  const add = (to: number, fate: Fate) => {
    const last = Math.min(at, to)
    if (last < next) return
    const before = runs.at(-1)
    if (before?.fate === fate) runs[runs.length - 1] = { ...before, last }
    else runs.push({ first: next, last, fate })
    next = last + 1
  }
  for (const { first, last, fate } of stretches) {
    add(first - 1, 'omitted')
    add(last, fate)
  }
  add(at, 'omitted')
  return runs
}

/** Runs as a text: `2k14e1r`. The letters are the first ones of the fates. */
export const toFateText = (runs: readonly FateRun[]): string =>
  runs.map(({ first, last, fate }) => `${last - first + 1}${fate[0]}`).join('')

export function* readFates(text: string): Generator<FateRun> {
  let first = 1
  for (const [, many, letter] of text.matchAll(/(\d+)([a-z])/g)) {
    const last = first + Number(many) - 1
    yield { first, last, fate: fates.find(fate => fate[0] === letter) ?? 'omitted' }
    first = last + 1
  }
}

/** The fate of one entry in such a text; undefined where it does not reach the entry. */
export function fateIn(text: string, entry: number): Fate | undefined {
  for (const { last, fate } of entry >= 1 ? readFates(text) : []) if (entry <= last) return fate
  return undefined
}
