import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, expect, onTestFinished } from 'vitest'
import { createServer, type ServerOptions } from '../../src/server/create-server.ts'
import { listen } from '../../src/server/serve/listen.ts'
import { readerUpstream } from '../../src/server/upstream/reader-upstream.ts'
import { sqliteStore } from '../../src/stores/sqlite/sqlite-store.ts'
import type { Store } from '../../src/stores/store.ts'
import { findBrowser } from './find-browser.ts'
import { projectChat } from './sample-lines.ts'

const root = join(import.meta.dirname, '../..')
export const inspectorFolder = join(root, 'dist/inspector')

export const wide = { width: 1440, height: 900 }
export const narrow = { width: 390, height: 844 }

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
    ...{ store, upstream, inspector: inspectorFolder, window: 4096, reserve: 512 },
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

let browser: Promise<Browser> | undefined

/** One browser for a test file; it is closed after the file. */
export function openBrowser(): Promise<Browser> {
  browser ??= chromium.launch({
    executablePath: findBrowser(),
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic'],
  })
  return browser
}

afterAll(async () => {
  await (await browser)?.close()
})

export interface OpenedPage {
  readonly page: Page
  /** What went wrong in the page so far: errors of its console, requests to others, what its policy refused. */
  readonly faults: readonly string[]
}

/** A page of the inspector. Its faults are collected; `expect(faults).toEqual([])` belongs to every test. */
export async function openPage(
  { url }: Pick<ServedInspector, 'url'>,
  path = '/inspector',
  options: BrowserContextOptions = {},
): Promise<OpenedPage> {
  const context = await (await openBrowser()).newContext({
    viewport: wide,
    timezoneId: 'Europe/London',
    locale: 'en-GB',
    ...options,
  })
  const page = await context.newPage()
  const faults: string[] = []
  page.on('console', message => {
    // The browser itself tells of answers that are errors; the page shows them.
    const isAnswer = message.text().startsWith('Failed to load resource')
    if (['error', 'warning'].includes(message.type()) && !isAnswer) faults.push(message.text())
  })
  page.on('pageerror', error => faults.push(String(error)))
  page.on('request', request => {
    if (!request.url().startsWith(url) && !request.url().startsWith('data:'))
      faults.push(`asks ${request.url()}`)
  })
  await page.goto(`${url}${path}`)
  onTestFinished(() => context.close())
  return { page, faults }
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Checks the page as it is now by the rules of WCAG 2.2 AA. */
export async function expectNoAxeViolations(page: Page): Promise<void> {
  // Not by a script element, which the page's policy refuses.
  await page.evaluate(axe)
  const violations = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: Axe }
    const { violations } = await axe.run(document, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    })
    return violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`,
    )
  })
  expect(violations).toEqual([])
}

interface Axe {
  run(
    node: Document,
    options: object,
  ): Promise<{ violations: { id: string; nodes: { target: string[] }[] }[] }>
}

/** Takes a picture into the folder that SHOTS names; without it, nothing. For looking at one's work. */
export async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env.SHOTS
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`) })
}
