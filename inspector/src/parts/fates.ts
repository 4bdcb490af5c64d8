import type { ContextAnswer } from '../api/timeline.ts'

export type Fate = ContextAnswer['stretches'][number]['fate']
export type Part = keyof ContextAnswer['parts']

export const fateNames = ['kept', 'recalled', 'cleared', 'digested', 'altered', 'moved', 'omitted'] as const

/** The fates in the order in which they are shown, and what each means. */
export const fates: readonly { readonly fate: Fate; readonly about: string }[] = [
  { fate: 'kept', about: 'sent as it is' },
  { fate: 'recalled', about: 'brought back, its text in a block' },
  { fate: 'cleared', about: 'a long result or answer, sent as one line' },
  { fate: 'digested', about: 'one line stands for it' },
  { fate: 'altered', about: 'sent, but changed' },
  { fate: 'moved', about: 'a note, now in the notes section' },
  { fate: 'omitted', about: 'not sent' },
]

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
  journal: 'digested',
  digests: 'digested',
  recall: 'recalled',
  history: 'kept',
}

/** A part in the words of the page. */
export const nameOfPart = (part: Part): string => (part === 'recall' ? 'recalled' : part)

/** The parts in the order in which they stand on each other in a bar: what changes seldom is below. */
export const partStack: readonly Part[] = [
  'framing',
  'tools',
  'system',
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
