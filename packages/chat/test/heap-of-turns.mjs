import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { createChat, defineTool } from '../../../dist/chat/index.js'
import { createHistory } from '../../../dist/history/index.js'
import { rules } from '../../../dist/models/index.js'
import { sqliteStore } from '../../../dist/stores/sqlite/sqlite-store.js'

/** Prints the megabytes in use after so many turns of one conversation, each with a tool call. */
const looks = process.argv.slice(2).map(Number)
const folder = mkdtempSync(join(tmpdir(), 'throughline-heap-'))
const history = createHistory({ store: sqliteStore({ path: join(folder, 'log.db') }) })
const look = defineTool({
  name: 'look',
  description: 'Looks.',
  input: z.object({}),
  run: () => 'a result '.repeat(8),
})
const model = rules(({ messages }) =>
  messages.at(-1)?.role === 'user' ? { calls: [{ name: 'look' }] } : 'some words of it '.repeat(6),
)
const chat = createChat({ history, model, tools: [look], window: 4096 })
const used = []
for (let turn = 1; turn <= Math.max(...looks); turn++) {
  await chat.send(`Question ${turn} about ${turn % 97} things.`, { conversation: 'long' }).result()
  if (!looks.includes(turn)) continue
  for (let n = 0; n < 4; n++) globalThis.gc()
  used.push(Math.round(process.memoryUsage().heapUsed / 1e5) / 10)
}
await history.close()
rmSync(folder, { recursive: true })
process.stdout.write(JSON.stringify(used))
