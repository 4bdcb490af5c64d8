import { readFileSync, writeSync } from 'node:fs'
import { listen } from '@throughline/server/serve/listen'
import { postgresStore } from '@throughline/stores/postgres'
import { type BackendName, openBackend } from './backends.ts'

/** What this process serves: a page with `useChat` at `/`, and its backend. */
export interface TabServerOptions {
  readonly backend: BackendName
  readonly postgres: string
  readonly ollama: string
  /** The file with the script of the page. */
  readonly script: string
}

const { backend, postgres, ollama, script } = JSON.parse(process.argv[2]!) as TabServerOptions
const { api, fetch } = openBackend(backend, postgresStore({ url: postgres }), ollama)
const html = `<!doctype html><title>A tab</title><link rel="icon" href="data:,"><body data-api="${api}"><script type="module" src="/tab.js"></script>`

const { url } = await listen(
  async request => {
    const { pathname } = new URL(request.url)
    if (pathname === '/') return new Response(html, { headers: { 'content-type': 'text/html' } })
    if (pathname === '/tab.js')
      return new Response(readFileSync(script), { headers: { 'content-type': 'text/javascript' } })
    return fetch(request)
  },
  { host: '127.0.0.1', port: 0, requestTimeoutMs: 60_000 },
)
writeSync(1, `${url}\n`)
