import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'

const built = join(import.meta.dirname, '../../dist/main.js')

/** A folder that is removed after the test. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-serve-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export interface ServeProcess {
  readonly child: ChildProcess
  /** All that it wrote. */
  readonly said: { out: string; err: string }
  /** Empty if it did not start. */
  readonly url: string
  readonly ended: Promise<[number | null]>
}

/** Runs `throughline serve` until it listens. Nothing answers at the address where it looks for Ollama. */
export function serve(cwd: string, ...flags: readonly string[]): Promise<ServeProcess> {
  return serveFrom(built, cwd, ...flags)
}

/** The same with the command line of another package. */
export async function serveFrom(
  main: string,
  cwd: string,
  ...flags: readonly string[]
): Promise<ServeProcess> {
  const env = { ...process.env, OLLAMA_HOST: 'http://127.0.0.1:9' }
  const child = spawn(process.execPath, [main, 'serve', '--port', '0', ...flags], { cwd, env })
  const said = { out: '', err: '' }
  child.stdout.on('data', chunk => {
    said.out += String(chunk)
  })
  child.stderr.on('data', chunk => {
    said.err += String(chunk)
  })
  const ended = once(child, 'exit') as Promise<[number | null]>
  onTestFinished(() => void child.kill('SIGKILL'))
  const listens = expect.poll(() => said.err).toContain('ANTHROPIC_BASE_URL')
  await Promise.race([listens, ended])
  return { child, said, url: /listens at (\S+)/.exec(said.err)?.[1] ?? '', ended }
}
