/** Starts `throughline serve` before a model server, with a log that is thrown away. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Started {
  readonly url: string
  stop(): void
}

const main = join(
  createRequire(import.meta.url).resolve('throughline/package.json'),
  '../dist/main.js',
)

export async function startThroughline(upstream: string, window: number): Promise<Started> {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-proxy-'))
  const flags = [
    '--port',
    '0',
    '--db',
    join(folder, 'log.db'),
    '--upstream',
    upstream,
    // The comparison counts what the model is asked to read for an answer.
    '--read-ahead',
    'off',
    '--window',
    `${window}`,
  ]
  const child = spawn(process.execPath, [main, 'serve', ...flags])
  child.stdout.resume()
  let said = ''
  const url = await new Promise<string>((listens, failed) => {
    child.stderr.on('data', chunk => {
      said += String(chunk)
      const [, at] = /listens at (\S+)\n/.exec(said) ?? []
      if (at) listens(at)
    })
    child.once('exit', () => failed(new Error(`throughline serve did not start:\n${said}`)))
  })
  return {
    url,
    stop() {
      child
        .removeAllListeners('exit')
        .once('exit', () => rmSync(folder, { recursive: true, force: true }))
      child.kill()
    },
  }
}
