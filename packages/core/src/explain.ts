// Why a model saw what it saw: as data, and as text for people.
export { type DumpData, type DumpEntry, dump, toDump } from './context/dump.ts'
export { explain } from './context/explain.ts'
export type { Why } from './context/why/why-conversation.ts'
export { why } from './context/why/why-conversation.ts'
export type { AskedText, WhyRecall } from './context/why/why-recall.ts'
