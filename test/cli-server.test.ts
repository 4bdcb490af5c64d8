import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chatgptFile, claudeFile } from '@throughline/history/fixtures'
import { zipOf } from '@throughline/server/archive/zip.fixture'
import { createKeys } from '@throughline/server/auth/create-keys'
import { readerUpstream } from '@throughline/server/upstream/reader-upstream'
import { runCli } from '@throughline/test-tools/run-cli'
import { startServer } from '@throughline/test-tools/start-server'
import { createHistory } from 'throughline/history'
import { sqliteStore } from 'throughline/stores/sqlite'
import { afterAll, describe, expect, it } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'throughline-cli-server-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const talk = [
  { role: 'user', content: 'Keep berth 12 for the Heron.' },
  { role: 'assistant', content: 'Done.' },
]

describe('a command with --server', () => {
  it('pins, hides and erases a message of the server that holds the file', async () => {
    const path = join(folder, 'held.db')
    const store = sqliteStore({ path })
    const { url, history } = await startServer({ store, upstream: readerUpstream() })
    await history.thread('harbour', { actor: 'pilot' }).seedTurns(talk)
    const log = (...args: readonly string[]) => runCli(['log', ...args, '--actor', 'pilot'])
    const held = await log('pin', 'harbour', '1', '--db', path)
    expect(held).toMatchObject({ status: 2, stdout: '' })
    expect(held.stderr).toMatch(/ask it with --server <url> .*log pin, hide, erase and import/)

    const on = (...args: readonly string[]) => log(...args, '--server', url)
    const hands = async () => history.thread('harbour', { actor: 'pilot' }).hands()
    expect(await on('pin', 'harbour', '1')).toEqual({ status: 0, stdout: 'pin #1\n', stderr: '' })
    expect((await hands()).pinned).toEqual([{ first: 1, last: 1 }])
    expect((await on('unpin', 'harbour', '1')).stdout).toBe('unpin #1\n')
    expect((await on('hide', 'harbour', '1')).stdout).toBe('hide #1\n')
    expect(await hands()).toMatchObject({ pinned: [], hidden: [{ first: 1, last: 1 }] })
    expect((await on('unhide', 'harbour', '1')).stdout).toBe('unhide #1\n')
    for (const command of ['pin', 'unpin', 'erase'])
      expect(
        (await on(command, 'harbour', '9', ...(command === 'erase' ? ['--yes'] : []))).stderr,
      ).toMatch(/#?9/)
    expect((await on('erase', 'harbour', '1', '--dry-run')).stdout).toContain('would delete #1')
    expect((await hands()).hidden).toEqual([])
    expect((await on('erase', 'harbour', '1', '--yes')).stdout).toContain('erased #1')
    expect(
      JSON.stringify(await history.thread('harbour', { actor: 'pilot' }).messages()),
    ).not.toContain('berth')
  })

  it('imports a file, or what is piped in, for the tenant of the key', async () => {
    const { url, store, history } = await startServer({
      requireKeys: true,
      upstream: readerUpstream(),
    })
    const { key } = await createKeys(store).create({ name: 'me', scopes: ['admin'], tenant: 'red' })
    const file = join(folder, 'talk.json')
    writeFileSync(file, JSON.stringify(talk))
    const on = (input: string, ...args: readonly string[]) =>
      runCli(['log', 'import', ...args, '--server', url, '--key', key], { input })
    expect((await on('', file, '--as', 'harbour', '--person', 'ada')).stdout).toBe(
      `${file}: imported from a list of messages: 1 conversation, entries: 2 (new: 2), calls: 0\n`,
    )
    const [{ conversation, person } = {}] = await history.of('red').conversations()
    expect([conversation, person]).toEqual(['harbour', 'ada'])
    const piped = await on(JSON.stringify(talk), '--as', 'other')
    expect(piped.stdout).toContain('1 conversation')
    expect(await on('', join(folder, 'gone.json'))).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('gone.json'),
    })
    const zip = join(folder, 'chatgpt.zip')
    writeFileSync(zip, zipOf({ 'chat.html': '', 'conversations.json': chatgptFile }))
    expect((await on('', zip)).stdout).toContain('imported from ChatGPT: 2 conversations')
    expect((await runCli(['log', 'import', zip, '--db', join(folder, 'zip.db')])).stdout).toContain(
      'imported from ChatGPT: 2 conversations',
    )
    writeFileSync(file, '[{"role":7}]')
    const broken = await on('', file)
    expect(broken).toMatchObject({ status: 2, stdout: '' })
    expect(broken.stderr).toContain('role')
    const refused = await runCli(['log', 'import', file, '--server', url, '--key', 'tl_wrong'])
    expect(refused).toMatchObject({ status: 2, stderr: expect.stringContaining(url) })
  })
})

it('imports what it can of several files, and says which it could not', async () => {
  const paths = [
    JSON.stringify(talk),
    '{"type":"summary","summary":"x","leafUuid":"y"}',
    claudeFile,
  ].map((text, at) => {
    const path = join(folder, `some-${at}.json`)
    writeFileSync(path, text)
    return path
  })
  const { status, stdout, stderr } = await runCli([
    'log',
    'import',
    ...paths,
    '--db',
    join(folder, 'some.db'),
  ])
  expect(status).toBe(2)
  expect(stdout.trimEnd().split('\n')).toHaveLength(2)
  expect(stderr).toContain(
    `${paths[1]}: Line 1 of the import: it has no message: nothing was said in it.`,
  )
  expect(stderr).toContain('1 of 3 files could not be imported')
})

describe('throughline log', () => {
  const path = join(folder, 'long.db')
  const on = (...args: readonly string[]) => runCli(['log', ...args, '--db', path])

  it('says why a message was left out, in the newest call, in one that is named, or now', async () => {
    const history = createHistory({ store: sqliteStore({ path }) })
    const thread = history.thread('trip')
    await thread.seedTurns([
      { role: 'user', content: 'Hello.' },
      { role: 'assistant', content: 'Hello.' },
      { role: 'user', content: 'The seeds are in the blue tin.' },
      { role: 'assistant', content: 'Noted.' },
      ...Array.from({ length: 60 }, (_, n) => [
        { role: 'user', content: `Note ${n}: ${'the mast, the sail and the rope. '.repeat(3)}` },
        { role: 'assistant', content: 'Noted.' },
      ]).flat(),
      { role: 'user', content: 'Where are the seeds?' },
    ])
    expect((await on('why', 'trip', '20', '--window', '1024')).stdout).toMatch(
      /^#20 \(assistant, \d+ tokens?\) \w+/,
    )
    expect((await on('why', 'trip', '3', '--window', '1024')).stdout).toMatch(
      /^#3 .*recalled.*\n#125 \("Where are the seeds\?"\) asked for it\.\n/,
    )
    const call = await thread.saveCall(await thread.context({ window: 1024 }), { model: 'reader' })
    await thread.seedTurns([{ role: 'user', content: 'Thanks.' }])
    const newest = await on('why', 'trip', '3')
    expect(newest.stdout).toContain(call.id)
    expect(newest.stdout).toMatch(/\n#3 recalled: .*\n$/)
    expect((await on('why', 'trip', '3', '--call', call.id)).stdout).toBe(newest.stdout)
    expect((await on('why', 'trip', '126', '--call', call.id)).stdout).toContain('#126 came later.')
    expect((await on('why', 'trip', '126')).stderr).toBe('')
    expect((await on('why', 'trip', '200')).stderr).toContain(
      'no message #200: the last one is #126',
    )
    expect((await on('why', 'trip', '9', '--at', '4')).stderr).toContain('#9 came after #4')
    expect((await on('why', 'trip', '1', '--call', 'x')).stderr).toContain('there is no call x')

    const receipt = (await on('dump', 'trip', '--receipt', '--window', '1024')).stdout
    expect(receipt).toMatch(/^messages\s+fate\s+tokens/)
    expect(receipt).toContain('of 1024 tokens')
    const sent = (await on('dump', 'trip', '--receipt', '--call', call.id)).stdout
    expect(sent).toContain(call.id)
    expect(sent).toContain('- #3 recalled: ')
    await history.close()
  })

  it('exports what fit reads', async () => {
    const file = join(folder, 'trip.jsonl')
    expect((await on('export', 'trip', '--out', file)).status).toBe(0)
    const fitted = await runCli(['fit', file, '--window', '1024'])
    expect(fitted.stderr).toBe('')
    const messages = JSON.parse(fitted.stdout) as { role: string; content: string }[]
    expect(messages[0]).toMatchObject({ role: 'user', content: 'Hello.' })
    expect(messages.at(-1)).toMatchObject({ role: 'user', content: 'Thanks.' })
    const history = createHistory({ store: sqliteStore({ path }) })
    await history.thread('second').seedTurns(talk)
    await history.close()
    const all = (await on('export')).stdout
    const { stderr, status } = await runCli(['fit', '-'], { input: all })
    expect(status).toBe(2)
    expect(stderr).toContain('has 2 conversations, and one is fitted')
    const damaged = await runCli(['fit', '-'], { input: all.split('\n').slice(0, 3).join('\n') })
    expect(damaged.stderr).toContain('the export ends early')
  })
})

describe('one name for the database', () => {
  it.each([
    ['log', 'list'],
    ['log', 'pin'],
    ['forget'],
    ['keys', 'list'],
    ['mcp'],
    ['serve'],
    ['experiment', 'list'],
  ])('%s %s', async (...command) => {
    const { stdout } = await runCli([...command, '--help'])
    expect(stdout).toMatch(/--db <(path\|url|value)>/)
    expect(stdout).toMatch(/SQLite file,\s+or/)
    expect(stdout).not.toContain('--store ')
  })
})

it('shows of serve what most need first, then the rest in groups, and two examples', async () => {
  const { stdout } = await runCli(['serve', '--help'])
  const [, first = ''] = stdout.split('Most used:\n')
  const flags = first.split('\n\n')[0]!.match(/^ {2}--[\w-]+/gm)!
  expect(flags.map(flag => flag.trim())).toEqual(
    ['upstream', 'upstream-key', 'window', 'shadow', 'db', 'host', 'port', 'require-keys'].map(
      name => `--${name}`,
    ),
  )
  expect(stdout.match(/^[A-Z][\w ]+:$/gm)!.length).toBeGreaterThan(6)
  const [, examples = ''] = stdout.split('Examples:\n')
  expect(examples.match(/^ {2}throughline serve /gm)).toHaveLength(2)
})
