import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { type BrowserServer, chromium } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import { startServer, type TestPostgres } from './postgres-server.ts'

/**
 * One PostgreSQL and one browser for all test files of a run. Each is started when the first file asks for it, so that a run
 * without them waits for nothing.
 */
export default async function startSharedServers(project: TestProject) {
  let postgres: Promise<TestPostgres> | undefined
  let browser: Promise<BrowserServer> | undefined

  // Nothing here outlives a crash: the data is not flushed to the disk.
  const startPostgres = () =>
    startServer(
      'fsync=off',
      'synchronous_commit=off',
      'full_page_writes=off',
      'max_connections=400',
    )

  const startBrowser = async (executablePath: string) => {
    const args = ['--no-sandbox', '--disable-gpu', '--disable-quic']
    // Without a limit of its own: the hook that asks for it has one.
    const started = await chromium.launchServer({ executablePath, args, timeout: 0 })
    // After a crash of the browser the next file gets another one.
    started.on('close', () => {
      browser = undefined
    })
    return started
  }

  const addresses: Readonly<Record<string, (detail: string) => Promise<string>>> = {
    '/postgres': async () => {
      postgres ??= startPostgres()
      return (await postgres).url
    },
    '/browser': async path => {
      browser ??= startBrowser(path)
      return (await browser).wsEndpoint()
    },
  }

  const server = createServer(async (request, response) => {
    try {
      response.end(await addresses[request.url!]!(await text(request)))
    } catch (error) {
      response.writeHead(500).end(String(error))
    }
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  project.provide('sharedServers', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)

  return async () => {
    server.close()
    await (await browser)?.close()
    await (await postgres)?.stop()
  }
}
