import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { Command } from 'commander'
import { readerUpstream } from '../models/reader/upstream/reader-upstream.ts'
import { print } from './print.ts'
import { UserError } from './user-error.ts'
import { wholeNumber } from './whole-number.ts'

interface ServeOptions {
  readonly port?: number
  readonly host?: string
  readonly window?: number
  /** Milliseconds between two words. */
  readonly delay?: number
}

/** `throughline reader`: serves the built-in model over HTTP, as Ollama would, until the process is stopped. */
export function readerCommand(): Command {
  return new Command('reader')
    .description('serve the built-in model, which only quotes what it is given, in the way of Ollama')
    .option('--port <number>', 'where to listen; 0 takes any that is free', wholeNumber, 11_435)
    .option('--host <address>', 'the address to listen on', '127.0.0.1')
    .option('-w, --window <tokens>', 'its window, a hard limit', wholeNumber, 4096)
    .option('--delay <milliseconds>', 'how long it waits between two words', wholeNumber, 0)
    .action(async (options: ServeOptions) => {
      const served = await serveReader(options)
      print(`The reader listens at ${served.url}`)
      await stopSignal()
      await served.close()
    })
}

/** Opens the port; resolves when it listens. */
export async function serveReader({
  port = 11_435,
  host = '127.0.0.1',
  window = 4096,
  delay = 0,
}: ServeOptions = {}): Promise<{ readonly url: string; close(): Promise<void> }> {
  if (window < 1) throw new UserError('--window must be 1 or more')
  if (port > 65_535) throw new UserError('--port must be 65535 or less')
  const server = createAdaptorServer({
    fetch: readerUpstream({ window, delayMs: delay }),
    overrideGlobalObjects: false,
  })
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const advice = code === 'EADDRINUSE' ? ': it is in use, choose another with --port' : ` (${code})`
    throw new UserError(`cannot listen on ${host} port ${port}${advice}`)
  }
  const { address, port: taken, family } = server.address() as AddressInfo
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}`,
    async close() {
      const closed = once(server, 'close')
      server.close()
      // An unfinished reply must not keep the process alive.
      if ('closeAllConnections' in server) server.closeAllConnections()
      await closed
    },
  }
}

export const stopSignal = () =>
  new Promise(resolve => process.once('SIGINT', resolve).once('SIGTERM', resolve))
