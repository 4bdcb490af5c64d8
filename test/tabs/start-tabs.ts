import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterFile } from '@throughline/test-tools/after-file'
import { rolldown } from 'rolldown'
import { onTestFinished } from 'vitest'
import { jiti } from '../examples/start-example.ts'
import type { TabServerOptions } from './tab-server.ts'

/** Bundles the page. Gives a function that starts a process which serves it, and says where it is. */
export async function createTabServers() {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-tabs-'))
  afterFile(() => rmSync(folder, { recursive: true, force: true }))
  const script = join(folder, 'tab.js')
  const page = await rolldown({
    ...{ input: join(import.meta.dirname, 'tab.tsx'), platform: 'browser', logLevel: 'silent' },
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
  })
  await page.write({ file: script, format: 'esm' })

  return async (options: Omit<TabServerOptions, 'script'>): Promise<string> => {
    const program = [jiti, join(import.meta.dirname, 'tab-server.ts')]
    const child = spawn(process.execPath, [...program, JSON.stringify({ ...options, script })], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const closed = once(child, 'close')
    onTestFinished(async () => {
      child.kill('SIGKILL')
      await closed
    })
    const lines = createInterface({ input: child.stdout })
    const [url] = await Promise.race([once(lines, 'line'), closed.then(() => [])])
    if (typeof url !== 'string') throw new Error('the server of a tab ended before it listened')
    return url
  }
}
