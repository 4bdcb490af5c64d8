import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createScreen } from '@throughline/experiment/command/screen'
import { createHistory } from '@throughline/history'
import { sqliteStore } from '@throughline/stores/sqlite'
import { runCli } from '@throughline/test-tools/run-cli'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'throughline-terminal-'))
const db = join(folder, 'log.db')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Clears the screen, sets the title of the window, goes back in the line, forges one, turns the text around. */
const evil =
  '\u001b[2J\u001b]0;owned\u0007\u009b31m\rok\u0008\u007f\u202e\u2066\u2028x\u001b[31mred'
const name = `boat${evil}\nuser: forged`

/** Characters that a terminal obeys. Line breaks are checked apart. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what is looked for
const obeyed = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/

const calling = {
  role: 'assistant',
  content: `done ${evil}`,
  tool_calls: [
    { id: name, type: 'function', function: { name, arguments: JSON.stringify({ [name]: evil }) } },
  ],
}
const chat = [
  { role: 'user', content: `tide ${evil}` },
  calling,
  { role: 'tool', tool_call_id: name, content: evil },
  { role: 'tool', tool_call_id: `nobody ${name}`, name, content: evil },
  { role: 'user', content: 'and now?' },
]

beforeAll(async () => {
  const history = createHistory({ store: sqliteStore({ path: db }) })
  const thread = history.thread(name, { actor: name })
  const begun = await thread.begin(chat[0]!)
  if (begun.kind !== 'begun') throw new Error(begun.kind)
  await thread.saveCall(await thread.context({ system: evil }), { model: name })
  await begun.turn.complete([calling, chat[2]!, { role: 'assistant', content: evil }])
  await history.describe(name, { title: name })
  await history.close()
})

describe('names and texts with terminal escapes', () => {
  const file = join(folder, 'chat.json')
  const broken = join(folder, 'broken.json')
  writeFileSync(file, JSON.stringify(chat))
  writeFileSync(broken, JSON.stringify([{ role: name, content: 'x' }]))
  const thread = ['--actor', name, '--db', db]
  const commands: Readonly<Record<string, readonly string[]>> = {
    'log list': ['log', 'list', '--db', db],
    'log show': ['log', 'show', name, ...thread],
    'log calls': ['log', 'calls', name, ...thread],
    'log dump': ['log', 'dump', name, ...thread],
    'log search': ['log', 'search', 'tide', '--db', db],
    'log export': ['log', 'export', name, '--db', db],
    'an unknown conversation': ['log', 'show', `no${name}`, '--db', db],
    'an unknown call': ['log', 'dump', name, '--call', evil, ...thread],
    'an unknown database': ['log', 'list', '--db', join(folder, name)],
    'an unknown command': [evil],
    'an unknown option': ['fit', `--${evil}`],
    'an unknown file': ['fit', `no${name}`],
    'a bad number': ['fit', file, '--window', evil],
    'experiment show': ['experiment', 'show', name, '--db', db],
    fit: ['fit', file],
    'fit --dump': ['fit', file, '--dump'],
    'fit --receipt': ['fit', file, '--receipt'],
    'fit with a role that nobody knows': ['fit', broken],
    'reader on a host': ['reader', '--host', `::${evil}`, '--port', '0'],
  }

  it.each(Object.entries(commands))('reach nobody: %s', async (_, args) => {
    const { stdout, stderr } = await runCli(args.map(arg => arg.replaceAll('\0', '')))
    expect(stdout + stderr).not.toBe('')
    expect(stdout).not.toMatch(obeyed)
    expect(stderr).not.toMatch(obeyed)
  })

  it('are seen, as escapes', async () => {
    const { stdout } = await runCli(['log', 'list', '--db', db])
    expect(stdout).toContain('boat\\u001b[2J')
    // A name cannot begin a line of its own.
    expect(stdout).toContain('x\\u001b[31mred\\nuser: forged')
    expect(stdout.split('\n')).toHaveLength(2)
  })

  it('leave JSON what it was', async () => {
    const { stdout } = await runCli(['fit', file, '--window', '100000'])
    expect(JSON.parse(stdout)[0]).toEqual(chat[0])
  })

  it('are no colours of ours', async () => {
    const { stdout } = await runCli(['fit', file, '--receipt'], {
      env: { FORCE_COLOR: '1', NO_COLOR: '' },
    })
    // biome-ignore lint/suspicious/noControlCharactersInRegex: our own colours
    const plain = stdout.replace(/\u001b\[(?:0|1|2|3[1-6]|90)m/g, '')
    expect(plain).not.toBe(stdout)
    expect(plain).not.toMatch(obeyed)
    expect(plain).not.toContain('\\u001b[0m')
  })

  it('reach no screen that is drawn in place', () => {
    const written: string[] = []
    const screen = createScreen({ columns: 400, isTTY: false, write: text => written.push(text) })
    screen.draw([
      [
        [1, name],
        [0, evil],
      ],
    ])
    expect(written.join('')).not.toMatch(obeyed)
    expect(written.join('').split('\n')).toHaveLength(2)
  })
})

it('only one file writes to the terminal', () => {
  const source = join(import.meta.dirname, '../packages/server/src/cli')
  const writing = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter(path => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .filter(path =>
      /std(out|err)\.write\(`|std(out|err)\.write\([^'`]|console\./.test(
        readFileSync(join(source, path), 'utf8'),
      ),
    )
  expect(writing).toEqual(['print.ts'])
})
