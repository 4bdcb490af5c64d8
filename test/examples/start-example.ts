import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { afterFile } from '@throughline/test-tools/after-file'

const root = join(import.meta.dirname, '../..')
export const jiti = join(
  dirname(createRequire(import.meta.url).resolve('jiti/package.json')),
  'lib/jiti-cli.mjs',
)

const started: ChildProcess[] = []

/** Ends the examples that this test file has started so far. */
export async function stopExamples(): Promise<void> {
  for (const child of started.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
}

/** Runs an example as a person does, with the built package, until it says where its page is. Ended after the test file. */
export async function startExample(name: string, flags: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [jiti, join(root, 'examples', name, 'run.ts'), ...flags], {
    cwd: root,
  })
  started.push(child)
  afterFile(stopExamples)
  let said = ''
  return new Promise<string>((found, failed) => {
    const hear = (chunk: unknown) => {
      said += String(chunk)
      const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? []
      if (url) found(url)
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    child.once('exit', () => failed(new Error(`The example ended:\n${said}`)))
  })
}
