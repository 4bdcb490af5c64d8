import type { Fate, FateRun } from '@throughline/core/fates'
import type { ContextAnswer } from '../api/timeline.ts'

export { type Fate, type FateRun, fateInText, readFates } from '@throughline/core/fates'

export type Part = keyof ContextAnswer['parts']

export const fateNames = [
  'kept',
  'recalled',
  'cleared',
  'digested',
  'altered',
  'moved',
  'omitted',
] as const

/** The fates in the order in which they are shown, what each is called in the page, and what it means. */
export const fates: readonly {
  readonly fate: Fate
  readonly name: string
  readonly about: string
}[] = [
  { fate: 'kept', name: 'kept', about: 'sent as it is' },
  { fate: 'recalled', name: 'brought back', about: 'older, but needed again: its text is quoted' },
  { fate: 'cleared', name: 'cleared', about: 'a long result, sent as one line' },
  { fate: 'digested', name: 'shortened', about: 'one line stands for it' },
  { fate: 'altered', name: 'changed', about: 'sent, but changed' },
  { fate: 'moved', name: 'moved', about: 'a note, now in the notes section' },
  { fate: 'omitted', name: 'not sent', about: 'the model did not see it' },
]

/** How far a bar reaches and how strong a ribbon is. A higher `layer` lies over a lower one, so that the rarer fate is seen. */
export const drawnAs: Readonly<
  Record<Fate, Readonly<Record<'reach' | 'ribbon' | 'layer', number>>>
> = {
  omitted: { reach: 0.34, ribbon: 0, layer: 0 },
  kept: { reach: 1, ribbon: 0.17, layer: 1 },
  cleared: { reach: 0.68, ribbon: 0.45, layer: 2 },
  moved: { reach: 0.76, ribbon: 0.45, layer: 3 },
  digested: { reach: 0.62, ribbon: 0.5, layer: 4 },
  altered: { reach: 0.88, ribbon: 0.4, layer: 5 },
  recalled: { reach: 1, ribbon: 0.4, layer: 6 },
}

export const nameOfFate = (fate: Fate): string => fates.find(one => one.fate === fate)!.name

/** The fate whose colour a part has. `protected` is kept whatever the policy; `meta` carries no entry. */
export const colourOfPart: Readonly<Record<Part, Fate | 'protected' | 'meta'>> = {
  framing: 'meta',
  tools: 'meta',
  marker: 'meta',
  system: 'protected',
  changing: 'protected',
  first: 'protected',
  latest: 'protected',
  notes: 'moved',
  rules: 'digested',
  journal: 'digested',
  digests: 'digested',
  recall: 'recalled',
  history: 'kept',
}

/** A part in the words of the page. */
export const nameOfPart = (part: Part): string => partNames[part] ?? part

const partNames: Partial<Record<Part, string>> = {
  framing: 'format overhead',
  marker: 'note about the gap',
  rules: 'standing rules',
  recall: 'brought back',
  digests: 'shortened',
  changing: 'changing lines',
}

/** The parts in the order in which they stand on each other in a bar: what changes seldom is below. */
export const partStack: readonly Part[] = [
  'framing',
  'tools',
  'system',
  'rules',
  'first',
  'marker',
  'notes',
  'digests',
  'journal',
  'history',
  'changing',
  'latest',
  'recall',
]

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

export const fateAt = (runs: readonly FateRun[], seq: number): Fate | undefined =>
  runAt(runs, seq)?.fate
