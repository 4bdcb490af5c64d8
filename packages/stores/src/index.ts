export { toDescription } from './check-input.ts'
export { checkedStore } from './checked-store.ts'
export { type DocumentStoreOptions, documentStore } from './document/document-store.ts'
export { type MemoryStoreOptions, memoryStore } from './memory/memory-store.ts'
export { type LeaseTime, leaseTime, remainingMs } from './rules/lease-time.ts'
export { planRestore, timesOf } from './rules/plan-restore.ts'
export type { BranchState, Change } from './rules/write-rules.ts'
export {
  appendEntries,
  beginTurn,
  endTurn,
  isForkPlace,
  isUse,
  renewLease,
  resumeTurn,
  seedEntries,
} from './rules/write-rules.ts'
export type * from './store.ts'
export {
  branchExists,
  ConflictError,
  CorruptEntryError,
  forkedElsewhere,
  InvalidTextError,
  KeyReusedError,
  LeaseError,
  NoBranchError,
  NoConversationError,
  nameOf,
  noParent,
  notAPlace,
  OutcomeUnknownError,
  StoreError,
  type StoreProblem,
  TooLargeError,
} from './store-error.ts'
export { payloadTexts, toWanted, words } from './words.ts'
