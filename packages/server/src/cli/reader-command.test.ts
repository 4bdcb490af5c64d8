import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Command } from 'commander'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readerCommand, serveReader } from './reader-command.ts'

const folder = mkdtempSync(join(tmpdir(), 'throughline-reader-'))
const program = join(folder, 'reader.mjs')

/** The command as a process of its own: only there can it be told to stop. */
beforeAll(async () => {
  const entry = join(folder, 'entry.mjs')
  const command = join(import.meta.dirname, 'reader-command.ts')
  writeFileSync(
    entry,
    `import { Command } from 'commander'\nimport { readerCommand } from ${JSON.stringify(command)}\nconst command = new Command()\nreaderCommand(command)\nawait command.parseAsync()\n`,
  )
  symlinkSync(join(import.meta.dirname, '../../../../node_modules'), join(folder, 'node_modules'))
  const build = await rolldown({
    input: entry,
    platform: 'node',
    external: /^(?!@throughline\/)[a-z@]/,
  })
  await build.write({ file: program, format: 'esm', codeSplitting: false })
  await build.close()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function start(
  ...options: readonly string[]
): Promise<{ child: ChildProcess; line: string }> {
  const child = spawn(process.execPath, [program, ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(createInterface(child.stdout!), 'line')
  return { child, line: String(line) }
}

describe('throughline reader', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    'prints its address, answers, and closes on %s',
    async signal => {
      const { child, line } = await start('--port', '0', '--window', '512')
      try {
        const [url] = /http:\/\/127\.0\.0\.1:\d+$/.exec(line)!
        const { models } = (await (await fetch(`${url}/api/ps`)).json()) as { models: unknown[] }
        expect(models).toMatchObject([{ name: 'reader:latest', context_length: 512 }])
      } finally {
        child.kill(signal)
      }
      expect(await once(child, 'exit')).toEqual([0, null])
    },
  )

  it('closes in the middle of a reply', async () => {
    const { child, line } = await start('--port', '0', '--delay', '3600000')
    try {
      const url = line.slice(line.indexOf('http'))
      const body = { model: 'reader', messages: [{ role: 'user', content: 'I park on level 3.' }] }
      const response = await fetch(`${url}/api/chat`, {
        method: 'POST',
        body: JSON.stringify(body),
      })
      await response.body!.getReader().read()
    } finally {
      child.kill('SIGTERM')
    }
    expect(await once(child, 'exit')).toEqual([0, null])
  })

  it('says in one line what is wrong', async () => {
    const served = await serveReader({ port: 0 })
    try {
      const port = new URL(served.url).port
      await expect(serveReader({ port: Number(port) })).rejects.toThrow(
        `Cannot listen on 127.0.0.1 port ${port}: it is in use, choose another with --port`,
      )
    } finally {
      await served.close(0)
    }
    for (const port of ['abc', '70000', '']) {
      const command = new Command().exitOverride()
      readerCommand(command)
      const wrong = command.parseAsync(['--port', port], { from: 'user' })
      await expect(wrong).rejects.toThrow(
        `option '--port <number>' argument '${port}' is invalid. Expected a whole number from 0 to 65535.`,
      )
    }
  })
})
