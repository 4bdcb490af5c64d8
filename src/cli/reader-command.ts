import type { Command } from 'commander'
import type { Listening } from '../server/serve/listen.ts'
import { print, UserError } from './print.ts'
import { stopSignal } from './stop-signal.ts'
import { wholeNumber } from './whole-number.ts'

interface ServeOptions {
  readonly port?: number
  readonly host?: string
  readonly window?: number
  /** Milliseconds between two words. */
  readonly delay?: number
}

/** `throughline reader`: serves the built-in model over HTTP, as Ollama would, until the process is stopped. */
export function readerCommand(command: Command): void {
  command
    .option('--port <number>', 'where to listen; 0 takes any that is free', wholeNumber, 11_435)
    .option('--host <address>', 'the address to listen on', '127.0.0.1')
    .option('-w, --window <tokens>', 'its window, a hard limit', wholeNumber, 4096)
    .option('--delay <milliseconds>', 'how long it waits between two words', wholeNumber, 0)
    .action(async (options: ServeOptions) => {
      const served = await serveReader(options)
      print(`The reader listens at ${served.url}`)
      await stopSignal()
      // An unfinished reply must not keep the process alive.
      await served.close(0)
    })
}

/** Opens the port; resolves when it listens. */
export async function serveReader({
  port = 11_435,
  host = '127.0.0.1',
  window = 4096,
  delay = 0,
}: ServeOptions = {}): Promise<Listening> {
  if (window < 1) throw new UserError('--window must be 1 or more')
  if (port > 65_535) throw new UserError('--port must be 65535 or less')
  const { readerServer } = await import('../server/reader/reader-server.ts')
  const { listen } = await import('../server/serve/listen.ts')
  return listen(readerServer({ window, delayMs: delay }), { host, port, requestTimeoutMs: 300_000 })
}
