import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { clientLines } from '@throughline/inspector/views/first-visit/client-lines'
import { runCli } from '@throughline/test-tools/run-cli'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const address = 'http://127.0.0.1:4170'

/** The lines of the inspector's first page, for the server as it starts by default. */
const linesOf = (needsKey: boolean) =>
  clientLines({
    addresses: { ollama: address, openai: `${address}/v1`, anthropic: address },
    model: 'llama3.2',
    needsKey,
  } as Parameters<typeof clientLines>[0])
const withPages = linesOf(false).filter(({ id }) =>
  existsSync(join(root, 'examples', id, 'README.md')),
)

it('has a page for each of these clients', () => {
  expect(withPages.map(({ id }) => id).toSorted()).toEqual([
    'claude-code',
    'codex',
    'home-assistant',
    'open-webui',
    'zed',
  ])
})

it.each([false, true])(
  'has Open WebUI name its chats and send them whole, with a key: %s',
  needsKey => {
    const { line } = linesOf(needsKey).find(({ id }) => id === 'open-webui')!
    expect(line.split(' ')).toEqual(
      expect.arrayContaining([
        'ENABLE_FORWARD_USER_INFO_HEADERS=true',
        'ENABLE_CONTEXT_COMPACTION=false',
      ]),
    )
  },
)

describe.each(withPages.map(({ id }) => id))('the page of %s', id => {
  const page = read(`examples/${id}/README.md`)

  it.each([false, true])('has the settings of the inspector, with a key: %s', needsKey => {
    const { where, line } = linesOf(needsKey).find(one => one.id === id)!
    const missing = [where, ...line.split('\n')].filter(part => !page.includes(part))
    expect(missing).toEqual([])
  })

  it('agrees with the page of clients', () => {
    const row = read('docs/clients.md')
      .split('\n')
      .find(one => one.includes(`examples/${id}/README.md`))!
    const settings = [...row.matchAll(/`([^`]+)`/g)].map(match => match[1]!)
    expect(settings.length).toBeGreaterThan(0)
    expect(settings.filter(setting => !page.includes(setting))).toEqual([])
    expect(settings.some(setting => setting.includes(address))).toBe(true)
  })

  it('starts the server with settings that it takes', async () => {
    const commands = page.split('\n').filter(one => one.startsWith('throughline serve '))
    expect(commands.length).toBeGreaterThan(0)
    for (const command of commands) {
      const flags = command.split(' ').slice(1)
      const { status, stderr } = await runCli([...flags, '--print-config'])
      expect(status, `${command}\n${stderr}`).toBe(0)
    }
  })

  it('fits on a screen', () => {
    expect(page.split('\n').length).toBeLessThanOrEqual(50)
  })
})
