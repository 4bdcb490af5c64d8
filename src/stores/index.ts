export { type MemoryStoreOptions, memoryStore } from './memory/memory-store.ts'
export type * from './store.ts'
export {
  ConflictError,
  CorruptEntryError,
  KeyReusedError,
  LeaseError,
  NoBranchError,
  NoConversationError,
  StoreError,
  TooLargeError,
} from './store-error.ts'
