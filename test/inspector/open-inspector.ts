import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContextOptions } from 'playwright-core'
import { createServer, type ServerOptions } from '../../src/server/create-server.ts'
import { listen } from '../../src/server/serve/listen.ts'
import { readerUpstream } from '../../src/server/upstream/reader-upstream.ts'
import { sqliteStore } from '../../src/stores/sqlite/sqlite-store.ts'
import type { Store } from '../../src/stores/store.ts'
import { experiments } from '../experiment-plug.ts'
import { type OpenedPage, openPage as openAnyPage } from '../open-page.ts'
import { storeWaitMs } from '../server/start-server.ts'
import { projectChat } from './sample-lines.ts'

export { isLong } from '../is-long.ts'

const root = join(import.meta.dirname, '../..')
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
} from '../open-page.ts'

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
  const { url, close } = await listen(server.fetch, { host: '127.0.0.1', port, requestTimeoutMs: 60_000 })
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
