// What a policy of your own is written against: the context in the making, and what it is made of.
export type { Entry } from './context/conversation/stamp-entry.ts'
export type { Unit, UnitKind } from './context/conversation/unit.ts'
export { type Digest, type Draft, type Policy, pipe, type Spare } from './context/draft/draft.ts'
export type { Insertion, Span } from './context/draft/span.ts'
export type { PromptLayout } from './context/prompt/prompt-layout.ts'
