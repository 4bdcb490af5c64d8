// What a store does and keeps, and the checks of names before it.
export { checkName, checkPerson, checkThread } from '../check-input.ts'
export { isPostgres } from '../is-postgres.ts'
export { lastUseOf } from '../rules/last-use.ts'
export type {
  BeginTurn,
  Begun,
  DescribeConversation,
  EntryRange,
  ListConversations,
  Store,
} from '../store.ts'
export type {
  CallStatus,
  ConversationDescription,
  ConversationInfo,
  ConversationKey,
  Head,
  Lease,
  Mark,
  MarkedPlace,
  NewEntry,
  StoredCall,
  StoredEntry,
  StoredTurn,
  ThreadKey,
  ThreadPlace,
  TurnStatus,
  WordPlace,
} from '../stored.ts'
