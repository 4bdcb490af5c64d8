export { toDescription } from './check-input.ts'
export { checkedStore } from './checked-store.ts'
export { type LeaseTime, leaseTime, remainingMs } from './lease-time.ts'
export { type MemoryStoreOptions, memoryStore } from './memory/memory-store.ts'
export { planRestore, type Stored, timesOf } from './plan-restore.ts'
export { leaseLost, nameOf, notAPlace, turnOpen } from './refusals.ts'
export type * from './store.ts'
export {
  ConflictError,
  CorruptEntryError,
  InvalidTextError,
  KeyReusedError,
  LeaseError,
  NoBranchError,
  NoConversationError,
  StoreError,
  type StoreProblem,
  TooLargeError,
} from './store-error.ts'
export { hasWords, snippet, toWanted } from './words.ts'
