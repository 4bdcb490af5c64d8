import { createHistory } from 'throughline'
import { ConflictError, memoryStore, type Store, type StoredEntry, type ThreadKey } from 'throughline/stores'

const store: Store = memoryStore()
const key: ThreadKey = { tenant: 'default', conversation: 'trip', actor: 'assistant', branch: 'main' }
const thread = createHistory({ store }).thread('trip')
await thread.seed({ role: 'user', content: 'hi' })
const entries: StoredEntry[] = []
for await (const entry of store.entries(key)) entries.push(entry)
console.log(entries.length, new ConflictError('trip', 1, 2) instanceof Error)
// prints: 1 true
