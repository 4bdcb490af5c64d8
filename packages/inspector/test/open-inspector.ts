import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer, type ServerOptions } from '@throughline/server/create-server'
import { listen } from '@throughline/server/serve/listen'
import { readerUpstream } from '@throughline/server/upstream/reader-upstream'
import { sqliteStore } from '@throughline/stores/sqlite'
import type { Store } from '@throughline/stores/store'
import { experiments } from '@throughline/test-tools/experiment-plug'
import { type OpenedPage, openPage as openAnyPage } from '@throughline/test-tools/open-page'
import { projectChat } from '@throughline/test-tools/sample-lines'
import { storeWaitMs } from '@throughline/test-tools/start-server'
import type { BrowserContextOptions } from 'playwright-core'

export { isLong } from '@throughline/test-tools/is-long'

const root = join(import.meta.dirname, '../../..')
export const inspectorFolder = join(root, 'dist/inspector')

export {
  expectNoAxeInLong,
  expectNoAxeViolations,
  expectNoAxeViolationsInThemes,
  expectSaid,
  narrow,
  type OpenedPage,
  openBrowser,
  shoot,
  wide,
} from '@throughline/test-tools/open-page'

/** The name under which the project chat is in the log. */
export const sample = 'toad-patrol'

export interface ServedInspector {
  readonly url: string
  /** The log. What is written to it directly, another process could have written. */
  readonly store: Store
  /** Calls the API as any client does. */
  ask(method: string, path: string, body?: unknown): Promise<Response>
  stop(): Promise<void>
}

/**
 * The real server with the built page, an SQLite file of its own and the reader as its model. It has the project chat unless
 * `isEmpty` says otherwise.
 */
export async function serveInspector({
  isEmpty = false,
  port = 0,
  ...options
}: Partial<ServerOptions> & {
  readonly isEmpty?: boolean
  readonly port?: number
} = {}): Promise<ServedInspector> {
  if (!existsSync(join(inspectorFolder, 'index.html')))
    throw new Error('The inspector is not built: run "npm run build" before its tests.')
  const folder = mkdtempSync(join(tmpdir(), 'throughline-inspector-'))
  const store = sqliteStore({ path: join(folder, 'throughline.db') })
  await store.migrate()
  const upstream = readerUpstream()
  const server = createServer({
    ...{ store, storeWaitMs, upstream, inspector: inspectorFolder, window: 4096, reserve: 512 },
    plugs: [experiments()],
    ...options,
  })
  const { url, close } = await listen(server.fetch, {
    host: '127.0.0.1',
    port,
    requestTimeoutMs: 60_000,
  })
  const key = options.apiKeys?.[0]
  const ask = (method: string, path: string, body?: unknown) =>
    fetch(`${url}/throughline/v1${path}`, {
      method,
      headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
  if (!isEmpty) {
    const response = await ask('POST', '/import', projectChat(sample))
    if (!response.ok) throw new Error(`The project chat was refused: ${await response.text()}`)
  }
  let isStopped = false
  return {
    url,
    store: options.store ?? store,
    ask,
    async stop() {
      if (isStopped) return
      isStopped = true
      await server.close()
      await close(0)
      await upstream.close()
      await store.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A page of the inspector. `expect(faults).toEqual([])` belongs to every test. */
export const openPage = (
  { url }: Pick<ServedInspector, 'url'>,
  path = '/inspector',
  options: BrowserContextOptions = {},
): Promise<OpenedPage> => openAnyPage({ url }, path, options)
