import { createHistory } from 'throughline/history'
import {
  ConflictError,
  memoryStore,
  nameOf,
  type Store,
  type StoredEntry,
  type ThreadKey,
  toWanted,
  words,
} from 'throughline/stores'

const store: Store = memoryStore()
const key: ThreadKey = {
  tenant: 'default',
  conversation: 'trip',
  actor: 'assistant',
  branch: 'main',
}
const thread = createHistory({ store }).thread('trip')
await thread.seed({ role: 'user', content: 'hi' })
const entries: StoredEntry[] = []
for await (const entry of store.entries(key)) entries.push(entry)
const isFound = toWanted('Hi!').every(word => words([entries[0]!.payload]).has(word))
console.log(entries.length, isFound, new ConflictError(nameOf(key), 1, 2) instanceof Error)
// prints: 1 true true
