import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import { vi } from 'vitest'

/** The real program, as it is installed: `npm test` builds it first. */
export const cli = join(
  process.env.THROUGHLINE_ROOT ?? join(import.meta.dirname, '../..'),
  'dist/main.js',
)

export interface CliRun {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

export interface CliOptions {
  /** What comes from the standard input. */
  readonly input?: string
  readonly env?: NodeJS.ProcessEnv
  readonly cwd?: string
}

let runs = 0

/**
 * Runs a command of the built program in this process: to start Node for every command takes most of the time of a test. A test
 * of signals, pipes, terminals or locks starts the program itself.
 */
export async function runCli(
  args: readonly string[],
  { input = '', env = {}, cwd = process.cwd() }: CliOptions = {},
): Promise<CliRun> {
  const { argv, exitCode, stdin } = process
  const folder = process.cwd()
  const told = process.stdout.listeners('error')
  const [stdout, stderr] = [capture(process.stdout), capture(process.stderr)]
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
  Object.defineProperty(process, 'stdin', { value: Readable.from([input]), configurable: true })
  process.argv = [process.execPath, cli, ...args]
  process.exitCode = undefined
  process.chdir(cwd)
  try {
    // Only the first module is run again; those that it imports are loaded once.
    await import(`${pathToFileURL(cli)}?run=${++runs}`)
    return { status: Number(process.exitCode ?? 0), stdout: stdout.text(), stderr: stderr.text() }
  } finally {
    stdout.restore()
    stderr.restore()
    for (const listener of process.stdout.listeners('error').slice(told.length))
      process.stdout.removeListener('error', listener as () => void)
    if (Object.keys(env).length > 0) vi.unstubAllEnvs()
    Object.defineProperty(process, 'stdin', { value: stdin, configurable: true })
    process.chdir(folder)
    process.argv = argv
    process.exitCode = exitCode
  }
}

/** Keeps what is written to a stream instead of writing it. */
function capture(stream: NodeJS.WriteStream): { text(): string; restore(): void } {
  const pieces: string[] = []
  const { write } = stream
  const keep = (piece: string | Uint8Array, ...given: readonly unknown[]) => {
    pieces.push(typeof piece === 'string' ? piece : Buffer.from(piece).toString())
    const done = given.find(one => typeof one === 'function')
    if (done) process.nextTick(done as () => void)
    return true
  }
  stream.write = keep as typeof write
  return {
    text: () => pieces.join(''),
    restore: () => {
      stream.write = write
    },
  }
}
