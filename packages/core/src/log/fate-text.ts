/** What became of an entry. */
export type Fate = (typeof fates)[number]

export const fates = [
  'kept',
  'altered',
  'cleared',
  'digested',
  'recalled',
  'moved',
  'omitted',
] as const

/** Entries in a row with one fate. */
export interface FateRun {
  readonly first: number
  readonly last: number
  readonly fate: Fate
}

/** Runs from entry 1 on as a text: `2k14e1r`. The letters are the first ones of the fates. */
export const toFateText = (runs: readonly FateRun[]): string =>
  runs.map(({ first, last, fate }) => `${last - first + 1}${fate[0]}`).join('')

const fateOf = (letter: string): Fate => fates.find(fate => fate[0] === letter) ?? 'omitted'

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

/** The fate of one entry, without reading all of the text; undefined where it does not reach the entry. */
export function fateInText(text: string, seq: number): Fate | undefined {
  let left = seq
  let many = 0
  for (let at = 0; at < text.length && left >= 1; at++) {
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
