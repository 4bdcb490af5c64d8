import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHistory } from 'throughline/history'
import { sqliteStore } from 'throughline/stores/sqlite'

const folder = mkdtempSync(join(tmpdir(), 'throughline-'))
const history = createHistory({ store: sqliteStore({ path: join(folder, 'log.db') }) })
await history.thread('trip').seed({ role: 'user', content: 'Hello!' })
console.log((await history.thread('trip').messages()).length)
await history.close()
rmSync(folder, { recursive: true })
// prints: 1
