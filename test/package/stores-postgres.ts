import { createHistory } from 'throughline/history'
import { postgresStore } from 'throughline/stores/postgres'

const history = createHistory({ store: postgresStore({ url: 'postgres://localhost:1/none' }) })
const found = await history.conversations().catch((error: Error) => error.name)
await history.close()
console.log(found)
// prints: StoreError
