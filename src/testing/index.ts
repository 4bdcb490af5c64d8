export { BrokenContextError } from '../context/compose/invariants.ts'
export {
  type ReaderServerOptions,
  readerServer,
  type SeenRequest,
} from '../server/reader/reader-server.ts'
export { words } from '../tokens/words.ts'
export { assertContext } from './assert-context.ts'
export { assistant, calls, note, result, round, system, type TestMessage, user } from './builders.ts'
export { type PolicyCase, policyCases } from './policy-cases.ts'
export { randomConversation } from './random-conversation.ts'
export { type CreateStore, type StoreCase, storeCases } from './store-cases.ts'
