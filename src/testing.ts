export { BrokenContextError } from '@throughline/core/context'
export { words } from '@throughline/core/counters'
export {
  assertContext,
  assistant,
  calls,
  note,
  type PolicyCase,
  policyCases,
  randomConversation,
  result,
  round,
  system,
  type TestMessage,
  user,
} from '@throughline/core/testing'
export type { ReaderServerOptions, SeenRequest } from '@throughline/server/reader/reader-server'
export { readerServer } from '@throughline/server/reader/reader-server'
export { type CreateStore, type StoreCase, storeCases } from '@throughline/stores/testing'
