import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { rolldown } from 'rolldown'
import type { ProgramLine, ProgramOptions } from './experiment-program.ts'

export interface ExperimentProgram {
  /** For the files of a test; removed in the end. */
  readonly folder: string
  /** Starts a process, waits for what it says, and kills it. */
  runAndKill(options: ProgramOptions): Promise<ProgramLine>
  stop(): void
}

/** Node 20 runs no TypeScript: the program is bundled into a folder of its own, from where it finds our packages. */
export async function createExperimentProgram(): Promise<ExperimentProgram> {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-experiment-'))
  symlinkSync(join(import.meta.dirname, '../../../node_modules'), join(folder, 'node_modules'))
  const program = join(folder, 'experiment-program.mjs')
  const input = join(import.meta.dirname, 'experiment-program.ts')
  const build = await rolldown({ input, platform: 'node', external: [/^ollama/, 'openai', 'zod'] })
  const { output } = await build.generate({ format: 'esm', codeSplitting: false })
  writeFileSync(program, output[0].code)

  return {
    folder,
    async runAndKill(options) {
      const child = spawn(process.execPath, [program, JSON.stringify(options)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const closed = once(child, 'close')
      try {
        const reader = createInterface({ input: child.stdout })
        const [line] = await Promise.race([once(reader, 'line'), closed.then(() => [''])])
        if (line === '') throw new Error('the program ended before it had answered')
        return JSON.parse(String(line)) as ProgramLine
      } finally {
        child.kill('SIGKILL')
        await closed
      }
    },
    stop: () => rmSync(folder, { recursive: true, force: true }),
  }
}
