/**
 * Starts the lamp and prints its address.
 *
 * `--port 4172`, `--host 127.0.0.1`, `--file lamp.db` (keeps everything over a restart), `--ollama gemma3:4b` (a real model
 * instead of the built-in rules), `--ollama-host http://127.0.0.1:11434`.
 */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import { ollama } from 'throughline/models'
import { memoryStore } from 'throughline/stores'
import { sqliteStore } from 'throughline/stores/sqlite'
import { lampWindow } from './lamp.ts'
import { lampRules } from './rules/lamp-rules.ts'
import { createLampServer } from './server.ts'

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '4172' },
    host: { type: 'string', default: '127.0.0.1' },
    file: { type: 'string' },
    ollama: { type: 'string' },
    'ollama-host': { type: 'string' },
  },
})

const name = values.ollama
const host = values['ollama-host']
const model = name
  ? ollama({ model: name, window: lampWindow, ...(host && { host }) })
  : lampRules({ window: lampWindow, pieceMs: 5 })
const store = values.file ? sqliteStore({ path: values.file }) : memoryStore()
await store.migrate()

const modelName = name ?? 'a few rules, not a model'
const server = createLampServer({ store, model, modelName, isRules: name === undefined })
server.listen(Number(values.port), values.host)
await once(server, 'listening')
const { address, port, family } = server.address() as AddressInfo
const shown = family === 'IPv6' ? `[${address}]` : address
console.log(`The lamp is at http://${shown}:${port}, driven by ${modelName}.`)
console.log(
  values.file
    ? `It is kept in ${values.file}.`
    : 'It forgets everything when it stops: --file lamp.db keeps it.',
)

process.once('SIGINT', () => {
  server.close(() => void store.close())
  server.closeAllConnections()
})
