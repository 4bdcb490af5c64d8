/**
 * A store of your own: one JSON file for each conversation. The cases prove it, a chat uses it.
 *
 * `npm run example own-store`
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createChat } from 'throughline/chat'
import { createHistory } from 'throughline/history'
import { reader } from 'throughline/models'
import { storeCases } from 'throughline/testing'
import { folderStore } from './folder-store.ts'

const folder = mkdtempSync(join(tmpdir(), 'own-store-'))
try {
  for (const { run } of storeCases) await run(async () => folderStore(join(folder, 'cases')))
  console.log('every case holds:', storeCases.length > 50)

  // A process that ends, and another one that goes on.
  for (const question of ['The harbour code is 4471.', 'What is the harbour code?']) {
    const store = folderStore(join(folder, 'chats'))
    const chat = createChat({ history: createHistory({ store }), model: reader() })
    const { text } = await chat.send(question, { conversation: 'harbour' })
    console.log(question, '→', text)
    await store.close()
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
