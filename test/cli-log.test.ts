import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { files } from '@throughline/history/fixtures'
import { cli, runCli } from '@throughline/test-tools/run-cli'
import { sliding } from 'throughline'
import { createHistory } from 'throughline/history'
import { sqliteStore } from 'throughline/stores/sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'throughline-log-'))
const db = join(folder, 'log.db')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const runOn = (path: string, input: string, ...args: readonly string[]) =>
  runCli(['log', ...args, '--db', path], { input })

const run = (...args: readonly string[]) => runOn(db, '', ...args)

beforeAll(async () => {
  const history = createHistory({ store: sqliteStore({ path: db }) })
  const begun = await history
    .thread('harbour')
    .begin({ role: 'user', content: 'Keep berth 12 for the Heron.' })
  if (begun.kind === 'begun') {
    const thread = history.thread('harbour')
    await thread.saveCall(await thread.context({ system: 'Be brief.' }), {
      model: 'reader',
      reported: 31,
    })
    await begun.turn.complete({ role: 'assistant', content: 'Done.' }, { note: 'secret' })
  }
  await history.describe('harbour', { title: 'Berth 12' })
  await history.close()
})

describe('one message', () => {
  it('is pinned, hidden and erased by its place', async () => {
    const path = join(folder, 'hands.db')
    const history = createHistory({ store: sqliteStore({ path }) })
    await history.thread('harbour').seedTurns([
      { role: 'user', content: 'Keep berth 12 for the Heron.' },
      { role: 'assistant', content: 'Done.' },
    ])
    await history.close()
    const on = (...args: readonly string[]) => runOn(path, '', ...args)
    expect((await on('show', 'harbour', '--places')).stdout).toMatch(/^#1 user: Keep berth 12/)
    expect(await on('pin', 'harbour', '1')).toMatchObject({ stderr: '', stdout: 'pin #1\n' })
    expect((await on('unpin', 'harbour', '1')).stdout).toBe('unpin #1\n')
    expect((await on('hide', 'harbour', '1')).stdout).toBe('hide #1\n')
    expect((await on('dump', 'harbour')).stdout).not.toContain('Keep berth 12')
    expect((await on('hide', 'harbour', '99')).stderr).toContain('there is no message #99')
    expect((await on('erase', 'harbour', '1', '--dry-run')).stdout).toContain('would delete #1')
    expect((await on('erase', 'harbour', '1')).stderr).toContain('say --yes')
    expect((await on('show', 'harbour')).stdout).toContain('Keep berth 12')
    expect((await on('erase', 'harbour', '1', '--yes')).stdout).toContain('erased #1')
    expect((await on('show', 'harbour')).stdout).toContain('[message erased]')
    expect(readFileSync(path).includes('Keep berth 12')).toBe(false)
  })
})

describe('which database', () => {
  const inFolder = (cwd: string, ...args: readonly string[]) => runCli(args, { cwd })

  it('is throughline.db in this folder where none is named, for log and experiment alike', async () => {
    const cwd = mkdtempSync(join(folder, 'default-'))
    for (const command of [
      ['log', 'list'],
      ['log', 'check'],
      ['log', 'check', '--rebuild'],
      ['forget', 'x'],
      ['log', 'backup', 'copy.db'],
      ['log', 'migrate'],
      ['experiment', 'list'],
    ]) {
      const { status, stderr } = await inFolder(cwd, ...command)
      expect(stderr).toBe(
        'throughline: there is no database throughline.db: say where it is with --db\n',
      )
      expect(status).toBe(2)
    }
    expect(readdirSync(cwd)).toEqual([])
    copyFileSync(db, join(cwd, 'throughline.db'))
    expect((await inFolder(cwd, 'log', 'show', 'harbour')).stdout).toContain(
      'Keep berth 12 for the Heron.',
    )
    expect(await inFolder(cwd, 'experiment', 'list')).toMatchObject({ status: 0, stdout: '' })
    for (const command of ['log', 'experiment'])
      expect((await inFolder(cwd, command, 'list', '--help')).stdout).toMatch(
        /\(default:\s+"throughline\.db"\)/,
      )
  })
})

describe('throughline log', () => {
  it('lists, shows, dumps, searches and checks', async () => {
    expect((await run('list')).stdout).toMatch(
      /^harbour {2}\d{4}-.*assistant\/main 3 {2}"Berth 12"\n$/,
    )
    expect((await run('show', 'harbour')).stdout).toBe(
      'user: Keep berth 12 for the Heron.\nassistant: Done.\n',
    )
    expect((await run('dump', 'harbour')).stdout).toContain(
      '--- ASSISTANT ---\nDone.\n--- NOTE TO SELF ---\nsecret\n',
    )
    expect((await run('search', 'heron')).stdout).toMatch(
      /^harbour\/assistant\/main #1 user: .*Heron/,
    )
    expect((await run('check')).stdout).toBe('all is well\n')
    expect((await run('migrate', '--dry-run')).stdout).toBe('the schema is up to date\n')
  })

  it('says of a database without conversations that there is nothing to check', async () => {
    const path = join(folder, 'empty.db')
    await createHistory({ store: sqliteStore({ path }) }).close()
    await sqliteStore({ path }).migrate({})
    expect((await runOn(path, '', 'check')).stdout).toBe(
      'nothing to check: tenant "default" has no conversation\n',
    )
  })

  it('forgets one conversation, those of an actor, or all', async () => {
    const path = join(folder, 'many.db')
    const history = createHistory({ store: sqliteStore({ path }) })
    for (const [name, actor] of [
      ['a', 'assistant'],
      ['b', 'clerk'],
      ['c', 'assistant'],
      ['d', 'assistant'],
    ] as const)
      await history.thread(name, { actor }).seed({ role: 'user', content: 'Hello.' })
    await history.close()
    const forget = (...args: readonly string[]) =>
      runCli(['forget', ...args, '--yes', '--db', path])
    expect((await forget()).stderr).toContain(
      'say what to forget: a conversation, --person <name>, --actor <name>, or --all',
    )
    expect((await forget('a', '--all')).stderr).toContain('say what to forget')
    expect((await forget('a')).stdout).toBe('forgot a\nforgot 1 conversation\n')
    expect((await forget('--actor', 'clerk')).stdout).toBe('forgot b\nforgot 1 conversation\n')
    expect((await forget('--all')).stdout).toBe('forgot c\nforgot d\nforgot 2 conversations\n')
  })

  it('shows how each call went, and what was sent in one that failed', async () => {
    const path = join(folder, 'calls.db')
    const history = createHistory({ store: sqliteStore({ path }) })
    const thread = history.thread('harbour')
    const begun = await thread.begin({ role: 'user', content: 'Is berth 12 free?' })
    const context = await thread.context()
    const failing = await thread.startCall(context, { model: 'reader' })
    await failing.end({ status: 'failed', error: 'model_overloaded' })
    await thread.startCall(context, { model: 'reader' })
    if (begun.kind === 'begun') await begun.turn.fail('model_overloaded')
    await history.close()
    const lines = (await runOn(path, '', 'calls', 'harbour')).stdout.trim().split('\n')
    expect(lines.map(line => line.split('  ').at(-1))).toEqual([
      'interrupted',
      'failed: model_overloaded',
    ])
    expect(
      (await runOn(path, '', 'dump', 'harbour', '--call', lines[1]!.split(' ')[0]!)).stdout,
    ).toContain('Is berth 12 free?')
  })

  it('lists the calls of a thread, and shows what was sent in one of them', async () => {
    const { stdout } = await run('calls', 'harbour')
    expect(stdout).toMatch(
      /^\S+ {2}\S+ {2}turn 1 {2}reader {2}\d+ tokens predicted, 31 reported {2}completed\n$/,
    )
    const [id] = stdout.split(' ')
    const dump = (await run('dump', 'harbour', '--call', id!)).stdout
    expect(dump).toBe(
      '=== SYSTEM PROMPT ===\nBe brief.\n\n=== CURRENT USER MESSAGE ===\nKeep berth 12 for the Heron.\n',
    )
    expect((await run('dump', 'harbour', '--call', 'x')).stderr).toBe(
      'throughline: there is no call x; "throughline log calls" lists them\n',
    )
  })

  /** In a process of its own. */
  const runApart = (...args: readonly string[]) =>
    spawnSync(process.execPath, [cli, 'log', ...args, '--db', db], { encoding: 'utf8' })

  it('exports, imports and copies, also while somebody writes', async () => {
    const writer = sqliteStore({ path: db })
    await writer.migrate()
    try {
      const lines = runApart('export').stdout
      expect(lines).toContain('secret')
      expect(lines.trimEnd().split('\n').at(-1)).toBe(
        '{"kind":"end","conversation":"harbour","entries":3}',
      )
      const file = join(folder, 'all.jsonl')
      expect(runApart('export', 'harbour', '--out', file)).toMatchObject({ status: 0, stdout: '' })
      expect(readFileSync(file, 'utf8')).toBe(lines)
      expect(runApart('export', 'harbour', '--out', file).stderr).toContain('is there already')
      expect(runApart('export', 'nowhere').stderr).toBe(
        'throughline: there is no conversation "nowhere"\n',
      )
      const other = join(folder, 'other.db')
      expect((await runOn(other, '', 'import', file)).stdout).toBe(
        `${file}: imported from Throughline: 1 conversation, entries: 3 (new: 3), calls: 1\n`,
      )
      expect((await runOn(other, lines, 'import')).stdout).toBe(
        'imported from Throughline: 1 conversation, entries: 3 (new: 0), calls: 1\n',
      )
      expect((await runOn(other, '', 'export')).stdout).toBe(lines)
      expect((await runOn(other, 'nonsense', 'import')).stderr).toMatch(
        /^throughline: Line 1 of the import: it is no JSON/,
      )
      expect((await runOn(other, '', 'import', join(folder, 'none'))).stderr).toMatch(
        /^throughline: cannot read /,
      )
      const copy = join(folder, 'copy.db')
      expect(runApart('backup', copy).stdout).toMatch(/^copied \d+ bytes to /)
      expect((await runOn(copy, '', 'export')).stdout).toBe(lines)
      expect((await runOn(copy, '', 'check')).stdout).toBe('all is well\n')
      expect(runApart('backup', copy).status).toBe(2)
    } finally {
      await writer.close()
    }
  })

  it('imports files of other programs, and names the one that is refused', async () => {
    const other = join(folder, 'chats.db')
    const paths = Object.entries(files).map(([program, text]) => {
      const path = join(folder, `${program}.json`)
      writeFileSync(path, text)
      return path
    })
    const first = (await runOn(other, '', 'import', ...paths)).stdout
    expect(first.split('\n')[0]).toBe(
      `${paths[0]}: imported from ChatGPT: 2 conversations, entries: 13 (new: 13), calls: 0`,
    )
    expect(first.trimEnd().split('\n').length).toBe(paths.length)
    const again = (await runOn(other, '', 'import', ...paths)).stdout
    expect(again.match(/\(new: 0\)/g)?.length).toBe(paths.length)
    expect((await runOn(other, '', 'list')).stdout).toContain('"The boat"')
    await runOn(other, '', 'import', paths[0]!, '--person', 'ada')
    expect((await runOn(other, '', 'export', 'chatgpt-second')).stdout).toContain('"person":"ada"')
    const broken = join(folder, 'broken.json')
    writeFileSync(broken, files.ChatGPT!.replace('"role":"assistant"', '"role":7'))
    expect((await runOn(other, '', 'import', broken)).stderr).toContain(
      `throughline: ${broken}: Line 1, $[0].mapping["a1"].message.author.role of the import: it must be a text`,
    )
    expect((await runOn(other, '', 'import', ...paths, '--as', 'x')).stderr).toContain(
      'give one file',
    )
    expect((await runOn(other, '', 'check')).stdout).toBe('all is well\n')
  })

  it('deletes what is older than it should be kept', async () => {
    expect((await run('retain')).stderr).toMatch(/say what to delete/)
    expect((await run('retain', '--conversations', 'soon')).stderr).toMatch(/number of days/)
    expect((await run('retain', '--conversations', '1', '--calls', '1', '--yes')).stdout).toBe(
      'deleted 0 conversations and 0 calls\n',
    )
    expect((await run('check', '--rebuild')).stdout).toBe('all is well\n')
  })

  it('says in one line what is wrong', async () => {
    const { status, stderr } = await run('show', 'nowhere')
    expect(status).toBe(2)
    expect(stderr).toBe('throughline: there is no thread nowhere/assistant/main\n')
  })

  it('forgets a conversation whole', async () => {
    const forget = () => runCli(['forget', 'harbour', '--db', db, '--yes'])
    expect((await forget()).stdout).toBe('forgot harbour\nforgot 1 conversation\n')
    expect((await run('list')).stdout).toBe('')
    expect((await forget()).status).toBe(2)
  })
})

describe('the card of an answer that forgot', () => {
  it('is drawn from the newest call, and says what would have sent the message', async () => {
    const path = join(folder, 'card.db')
    const on = (...args: readonly string[]) => runOn(path, '', ...args)
    const history = createHistory({ store: sqliteStore({ path }) })
    const thread = history.thread('trip')
    await thread.seedTurns([
      { role: 'user', content: 'Hello.' },
      { role: 'assistant', content: 'Hello.' },
      { role: 'user', content: 'The seeds are in the <blue> tin & nowhere else.' },
      { role: 'assistant', content: 'Noted.' },
      ...Array.from({ length: 60 }, (_, n) => [
        { role: 'user', content: `Note ${n}: ${'the mast, the sail and the rope. '.repeat(3)}` },
        { role: 'assistant', content: 'Noted.' },
      ]).flat(),
    ])
    const begun = await thread.begin({ role: 'user', content: 'Where are the seeds?' })
    if (begun.kind !== 'begun') throw new Error('no turn')
    const context = await thread.context({ window: 1024, policy: sliding({ messages: 10 }) })
    await thread.saveCall(context, { model: 'reader' })
    await begun.turn.complete({ role: 'assistant', content: 'You never told me.' })
    const { stdout, stderr } = await on('why', 'trip', '--card')
    expect(stderr).toBe('')
    expect(stdout).toMatch(/^<svg .*<\/svg>\s*$/s)
    expect(stdout).toContain('It was cut at turn')
    expect(stdout).toContain('You never told me.')
    expect(stdout).toContain('&#60;blue&#62; tin &#38; nowhere')
    expect((await on('why', 'trip', '3', '--card')).stdout).toBe(stdout)
    const file = join(folder, 'card.svg')
    const kept = await on('why', 'trip', '3', '--dark', '--card', file)
    expect(kept.stdout).toBe(`The card of #3 is in ${file}.\n`)
    expect(readFileSync(file, 'utf8')).toContain('#0b0d11')
    const sent = await on('why', 'trip', '124', '--card')
    expect(sent).toMatchObject({ stdout: '' })
    expect(sent.stderr).toContain('message #124 was sent, hidden, or came later')
    expect((await on('why', 'trip')).stderr).toContain('which message?')
  })
})
