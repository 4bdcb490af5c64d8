// The errors of stores, and the marks of what was erased.
export { isErased, residueNote } from '../erased.ts'
export {
  ConflictError,
  CorruptEntryError,
  isStoreFault,
  KeyReusedError,
  LeaseError,
  NoBranchError,
  NoConversationError,
  StoreError,
  type StoreProblem,
  storeFaultText,
  TooLargeError,
  turnOpen,
} from '../store-error.ts'
