import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { describe } from 'vitest'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** Tests with processes of the store, which run what is built. Without it they are skipped, and the reason is printed and stands in their name. */
export function describeBuilt(name: string, tests: () => void): void {
  const isBuilt = existsSync(here('../../../../dist/stores/sqlite/sqlite-store.js'))
  const reason = 'there is no dist/: run "npm run build" first'
  if (!isBuilt) console.warn(`Not tested: ${name}: ${reason}`)
  describe.skipIf(!isBuilt)(isBuilt ? name : `${name}: ${reason}`, tests)
}

const running = new Set<{ kill(): Promise<unknown> }>()

/** Starts append.fixture.mjs in a process of its own and collects the lines that it prints. */
export const startProcess = (how: string, path: string) => startScript('append', how, path)

/** Another process that holds a file until it is killed: for writing, or in the middle of reading. */
export async function holdFile(how: 'write' | 'read', path: string) {
  const holder = startScript('hold', how, path)
  await holder.lines(1)
  return holder
}

function startScript(script: string, how: string, path: string) {
  const args = [here(`./${script}.fixture.mjs`), how, path]
  const child: ChildProcessByStdio<null, Readable, null> = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const printed: string[] = []
  const reader = createInterface({ input: child.stdout })
  reader.on('line', line => printed.push(line))
  const isOver = Promise.all([once(child, 'close'), once(reader, 'close')])
  const started = {
    async lines(count: number) {
      while (printed.length < count)
        await Promise.race([once(reader, 'line'), isOver.then(() => failed(printed, count))])
      return printed
    },
    async kill() {
      running.delete(started)
      child.kill('SIGKILL')
      await isOver
      return printed
    },
  }
  running.add(started)
  return started
}

/** Ends all processes, for `afterEach`: a failed test leaves none behind. */
export async function killAll(): Promise<void> {
  await Promise.all([...running].map(process => process.kill()))
}

function failed(printed: readonly string[], count: number): void {
  if (printed.length < count)
    throw new Error(`the writer ended after ${printed.length} lines: ${printed.join(' ')}`)
}
