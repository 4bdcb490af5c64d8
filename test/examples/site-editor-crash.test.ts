import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { isLong } from '@throughline/test-tools/is-long'
import { describe, expect, it, type TestContext } from 'vitest'
import { connect, type EditorClient, saidIn, siteFile } from './site-editor-client.ts'

const root = join(import.meta.dirname, '../..')
const jiti = join(
  dirname(createRequire(import.meta.url).resolve('jiti/package.json')),
  'lib/jiti-cli.mjs',
)

/** What is left of a test is removed when it is over. Tests run side by side, so each has its own. */
type Test = Pick<TestContext, 'onTestFinished'>

function newFolder({ onTestFinished }: Test): string {
  const data = mkdtempSync(join(tmpdir(), 'throughline-crash-'))
  onTestFinished(() => rmSync(data, { recursive: true, force: true }))
  return data
}

/** Runs the editor as a user does, in a process of its own. */
async function run({ onTestFinished }: Test, ...flags: readonly string[]) {
  const program = join(root, 'examples/site-editor/run.ts')
  const child = spawn(process.execPath, [jiti, program, '--port', '0', ...flags], { cwd: root })
  onTestFinished(() => void child.kill('SIGKILL'))
  const closed = once(child, 'close')
  let said = ''
  child.stderr.on('data', chunk => {
    said += chunk
  })
  while (!said.includes(' is at ')) {
    const [chunk] = await Promise.race([once(child.stdout, 'data'), closed.then(() => [undefined])])
    if (chunk === undefined) throw new Error(`The editor did not start: ${said}`)
    said += chunk
  }
  const client = await connect(/ is at (\S+)/.exec(said)![1]!)
  return {
    client,
    async kill() {
      child.kill('SIGKILL')
      await closed
    },
  }
}

const first = 'make the background teal'
const second = 'change the title to Blue Door'

/** What a conversation must be after a crash in its second turn. */
async function expectWhole(client: EditorClient, data: string): Promise<void> {
  expect(saidIn(client.rows)).toContain(first)
  expect(saidIn(client.rows)).toContain('The background is #0f6b6b now.')
  expect(saidIn(client.rows)).toContain(second)
  expect(client.rows.at(-1)).toEqual({ kind: 'ending', status: 'interrupted' })
  // No file has a part of a text, and no unfinished one is left.
  for (const path of ['index.html', 'menu.html', 'style.css'])
    expect(siteFile(data, path)).toMatch(/[>}]\n$/)
  expect(readdirSync(join(data, 'site')).sort()).toEqual(['index.html', 'menu.html', 'style.css'])
  expect(await client.dump()).toContain('[Interrupted.]')
  expect(await client.dump()).toContain('The background was #faf6ef and is #0f6b6b, in style.css.')
  await client.say('change the title to Red Gate')
  expect(siteFile(data, 'index.html')).toContain('<title>Red Gate</title>')
  expect(saidIn(client.rows).at(-1)).toBe('The title is now “Red Gate”, on every page.')
  expect(client.isBusy).toBe(false)
}

/** Kills the process in its second turn as soon as `isThere`, and starts it again. */
async function crash(
  test: Test,
  isThere: (client: EditorClient) => boolean,
  ...flags: readonly string[]
) {
  const data = newFolder(test)
  // Long enough to be killed in, also where it is heard of late.
  const before = await run(test, '--data', data, '--slow', '1500', ...flags)
  await before.client.say(first)
  await before.client.post('/api/messages', second)
  await before.client.until(() => isThere(before.client))
  await before.kill()
  const { client } = await run(test, '--data', data, ...flags)
  return { client, data }
}

const inTool = ({ rows }: EditorClient) =>
  rows.some(
    row =>
      row.kind === 'tool' &&
      row.path === 'index.html' &&
      row.state === 'running' &&
      row.tool === 'write_file',
  )
const inStream = ({ rows }: EditorClient) =>
  saidIn(rows).at(-1)?.startsWith('The title is') ?? false

it('is not started twice on one folder, and says why', async test => {
  const data = newFolder(test)
  await run(test, '--data', data)
  await expect(run(test, '--data', data)).rejects.toThrow(/The site editor cannot start: .*log\.db/)
})

if (!isLong)
  console.info('Skipped: a site editor that is killed in a sentence, only in the long run')

describe.concurrent('a site editor that is killed', () => {
  it('in the middle of a tool, has a whole conversation when it is started again', async test => {
    const { client, data } = await crash(test, inTool)
    expect(client.rows).toContainEqual(
      expect.objectContaining({ tool: 'write_file', state: 'failed' }),
    )
    await expectWhole(client, data)
  })

  it.runIf(isLong)(
    'in the middle of a sentence, has a whole conversation when it is started again',
    async test => {
      const { client, data } = await crash(test, inStream)
      await expectWhole(client, data)
    },
  )

  it('with its log in memory, has none: the test would notice', async test => {
    const { client, data } = await crash(test, inTool, '--memory')
    expect(client.rows).toEqual([])
    await expect(expectWhole(client, data)).rejects.toThrow()
  })
})
