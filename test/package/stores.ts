import { createHistory } from 'throughline'
import {
  ConflictError,
  hasWords,
  memoryStore,
  nameOf,
  type Store,
  type StoredEntry,
  type ThreadKey,
  toWanted,
} from 'throughline/stores'

const store: Store = memoryStore()
const key: ThreadKey = { tenant: 'default', conversation: 'trip', actor: 'assistant', branch: 'main' }
const thread = createHistory({ store }).thread('trip')
await thread.seed({ role: 'user', content: 'hi' })
const entries: StoredEntry[] = []
for await (const entry of store.entries(key)) entries.push(entry)
const isFound = hasWords(entries[0]!.payload, toWanted('Hi!'))
console.log(entries.length, isFound, new ConflictError(nameOf(key), 1, 2) instanceof Error)
// prints: 1 true true
