import type { Command } from 'commander'
import { wholeNumber } from './number-option.ts'
import { print } from './print.ts'
import { stopSignal } from './stop-signal.ts'

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
    .option(
      '--port <number>',
      'where to listen; 0 takes any that is free',
      wholeNumber(0, 65_535),
      11_435,
    )
    .option('--host <address>', 'the address to listen on', '127.0.0.1')
    .option('-w, --window <tokens>', 'its window, a hard limit', wholeNumber(1), 4096)
    .option('--delay <milliseconds>', 'how long it waits between two words', wholeNumber(), 0)
    .action(async (options: ServeOptions) => {
      const served = await serveReader(options)
      print(`The reader listens at ${served.url}`)
      await stopSignal()
      // An unfinished reply must not keep the process alive.
      await served.close(0)
    })
}

export async function serveReader({
  port = 11_435,
  host = '127.0.0.1',
  window = 4096,
  delay = 0,
}: ServeOptions = {}) {
  const { readerServer } = await import('../reader/reader-server.ts')
  const { listen } = await import('../serve/listen.ts')
  return listen(readerServer({ window, delayMs: delay }), { host, port, requestTimeoutMs: 300_000 })
}
