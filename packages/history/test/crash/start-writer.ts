import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { rolldown } from 'rolldown'
import type { WriterLine, WriterOptions } from './writer-line.ts'

/** A process of turn-writer.ts. */
export interface Writer {
  /** What it has printed so far. */
  readonly lines: readonly WriterLine[]
  readonly pid: number
  /** Resolves when so many of its lines are of this kind. Throws when it ends before. */
  waitFor(kind: WriterLine['kind'], count: number): Promise<void>
  /** Lets one that is stepped take its next steps. */
  step(count?: number): void
  signal(signal: NodeJS.Signals): void
  /** Resolves when it has ended: its exit code, or null when a signal ended it. */
  ended(): Promise<number | null>
  kill(): Promise<void>
}

export interface WriterProgram {
  /** A folder for the files of a test; removed in the end. */
  readonly folder: string
  /** `wrapper` is the command that runs it: strace with its arguments, say. */
  start(options: WriterOptions, wrapper?: readonly string[]): Writer
  /** Ends whatever still runs, and removes the folder. */
  stop(): Promise<void>
}

/** Node 20 runs no TypeScript: the program is bundled into a folder of its own, from where it finds our packages. */
export async function createWriterProgram(): Promise<WriterProgram> {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-crash-'))
  symlinkSync(join(import.meta.dirname, '../../../../node_modules'), join(folder, 'node_modules'))
  const program = join(folder, 'turn-writer.mjs')
  const input = join(import.meta.dirname, 'turn-writer.ts')
  const build = await rolldown({ input, platform: 'node', external: ['pg'] })
  const { output } = await build.generate({ format: 'esm', codeSplitting: false })
  writeFileSync(program, output[0].code)
  const writers = new Set<Writer>()

  return {
    folder,
    start(options, wrapper = []) {
      const [command, ...rest] = [...wrapper, process.execPath, program, JSON.stringify(options)]
      const writer = startWriter(command!, rest)
      writers.add(writer)
      return writer
    },
    async stop() {
      await Promise.all([...writers].map(writer => writer.kill()))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function startWriter(command: string, parameters: readonly string[]): Writer {
  // In a process group of its own: what runs under strace outlives a strace that is killed alone.
  // One thread beside the event loop: strace counts the calls of each thread by themselves.
  const env = { ...process.env, UV_THREADPOOL_SIZE: '1' }
  const child = spawn(command, parameters, { stdio: ['pipe', 'pipe', 'pipe'], detached: true, env })
  const lines: WriterLine[] = []
  let problem = ''
  child.stdin.on('error', () => {})
  child.stderr.setEncoding('utf8').on('data', text => {
    problem = (problem + text).slice(-2_000)
  })
  const reader = createInterface({ input: child.stdout })
  reader.on('line', line => lines.push(JSON.parse(line) as WriterLine))
  const isOver = Promise.all([once(child, 'close'), once(reader, 'close')]).then(
    () => child.exitCode,
  )
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null

  function signal(signal: NodeJS.Signals): void {
    if (!hasEnded()) process.kill(-child.pid!, signal)
  }

  return {
    lines,
    pid: child.pid!,
    async waitFor(kind, count) {
      const isEnough = () => lines.filter(line => line.kind === kind).length >= count
      const isGone = isOver.then(() => true)
      while (!isEnough()) {
        const hasGone = await Promise.race([once(reader, 'line').then(() => false), isGone])
        if (hasGone && !isEnough())
          throw new Error(`the writer ended before it was ${kind} ${count} times: ${problem}`)
      }
    },
    step(count = 1) {
      child.stdin.write('\n'.repeat(count))
    },
    signal,
    ended: () => isOver,
    async kill() {
      signal('SIGKILL')
      await isOver
    },
  }
}
