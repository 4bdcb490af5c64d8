export { BrokenContextError } from '@throughline/core/context/compose/invariants'
export { assertContext } from '@throughline/core/testing/assert-context'
export {
  assistant,
  calls,
  note,
  result,
  round,
  system,
  type TestMessage,
  user,
} from '@throughline/core/testing/builders'
export { type PolicyCase, policyCases } from '@throughline/core/testing/policy-cases'
export { randomConversation } from '@throughline/core/testing/random-conversation'
export { words } from '@throughline/core/tokens/words'
export type { ReaderServerOptions, SeenRequest } from '@throughline/server/reader/reader-server'
export { readerServer } from '@throughline/server/reader/reader-server'
export {
  type CreateStore,
  type StoreCase,
  storeCases,
} from '@throughline/stores/testing/store-cases'
