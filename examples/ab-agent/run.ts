/**
 * Runs the A/B agent: two server processes on one log, behind a front that sends each request to the other one.
 *
 *   --db FILE|postgres://…   the log (ab-agent.db)        --ollama MODEL   a real model instead of rules
 *   --port NUMBER            where the page is (4180)     --ollama-host URL   where Ollama is
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { serve } from '@hono/node-server'
import { build } from 'vite'
import { startFront } from './front.ts'

const { values } = parseArgs({
  options: {
    db: { type: 'string', default: 'ab-agent.db' },
    ollama: { type: 'string' },
    'ollama-host': { type: 'string' },
    port: { type: 'string', default: '4180' },
  },
})
const { port } = values
const store = /^postgres(ql)?:/.test(values.db) ? values.db : resolve(values.db)

const page = mkdtempSync(join(tmpdir(), 'throughline-ab-agent-'))
process.once('exit', () => rmSync(page, { recursive: true, force: true }))
await build({
  root: join(import.meta.dirname, 'page'),
  build: { outDir: page, emptyOutDir: true, reportCompressedSize: false },
  logLevel: 'error',
})

const front = await startFront({ page, store, ollama: values.ollama, host: values['ollama-host'] })
const server = serve({ fetch: front.fetch, hostname: '127.0.0.1', port: Number(port) }, address =>
  console.log(`The A/B agent is at http://127.0.0.1:${address.port} (Ctrl+C ends it)`),
)
server.once('error', error => {
  console.error(`The page cannot be served: ${error.message}`)
  process.exit(1)
})
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    front.close()
    server.close()
    process.exit()
  })
