import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import type { Outcome } from './five-steps.ts'

export interface ChildEnd {
  readonly signal: string | null
  readonly code: number | null
  readonly errors: string
  /** Absent when it was killed. */
  readonly told?: { readonly outcome: Outcome; readonly count: number }
}

export interface KillProgram {
  readonly folder: string
  run(options: {
    readonly path: string
    readonly killAt?: number
    readonly laterMs?: number
    readonly isResumed?: boolean
  }): Promise<ChildEnd>
  stop(): void
}

/** Node 20 runs no TypeScript: the child is bundled into a folder of its own, from where it finds our packages. */
export async function createKillProgram(): Promise<KillProgram> {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-kill-'))
  symlinkSync(join(import.meta.dirname, '../../../node_modules'), join(folder, 'node_modules'))
  const program = join(folder, 'kill-child.mjs')
  const input = join(import.meta.dirname, 'kill-child.ts')
  const external = ['pg', 'zod', 'immer', '@marcbachmann/cel-js', 'ollama/browser', 'openai']
  const build = await rolldown({ input, platform: 'node', external })
  const { output } = await build.generate({ format: 'esm', codeSplitting: false })
  writeFileSync(program, output[0].code)
  return {
    folder,
    async run({ laterMs = 0, isResumed = false, ...options }) {
      const given = JSON.stringify({ ...options, laterMs, isResumed })
      const child = spawn(process.execPath, [program, given], { stdio: ['ignore', 'pipe', 'pipe'] })
      let [text, errors] = ['', '']
      child.stdout.setEncoding('utf8').on('data', more => {
        text += more
      })
      child.stderr.setEncoding('utf8').on('data', more => {
        errors += more
      })
      const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
      return { code, signal, errors, ...(code === 0 && { told: JSON.parse(text) }) }
    },
    stop: () => rmSync(folder, { recursive: true, force: true }),
  }
}
