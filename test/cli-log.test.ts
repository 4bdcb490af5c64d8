import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHistory } from 'throughline'
import { sqliteStore } from 'throughline/stores/sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const main = join(import.meta.dirname, '../dist/cli/main.js')
const folder = mkdtempSync(join(tmpdir(), 'throughline-log-'))
const db = join(folder, 'log.db')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function runOn(path: string, input: string, ...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, 'log', ...args, '--db', path], {
    encoding: 'utf8',
    input,
  })
  return { status, stdout, stderr }
}

const run = (...args: readonly string[]) => runOn(db, '', ...args)

beforeAll(async () => {
  const history = createHistory({ store: sqliteStore({ path: db }) })
  const begun = await history
    .thread('harbour')
    .begin({ role: 'user', content: 'Keep berth 12 for the Heron.' })
  if (begun.kind === 'begun') {
    const thread = history.thread('harbour')
    await thread.saveCall(await thread.context({ system: 'Be brief.' }), { model: 'reader', reported: 31 })
    await begun.turn.complete({ role: 'assistant', content: 'Done.' }, { note: 'secret' })
  }
  await history.describe('harbour', { title: 'Berth 12' })
  await history.close()
})

describe('which database', () => {
  const inFolder = (cwd: string, ...args: readonly string[]) =>
    spawnSync(process.execPath, [main, ...args], { encoding: 'utf8', cwd })

  it('is throughline.db in this folder where none is named, for log and experiment alike', () => {
    const cwd = mkdtempSync(join(folder, 'default-'))
    for (const command of [
      ['log', 'list'],
      ['log', 'check'],
      ['log', 'check', '--rebuild'],
      ['log', 'delete', 'x'],
      ['log', 'backup', 'copy.db'],
      ['log', 'migrate'],
      ['experiment', 'list'],
    ]) {
      const { status, stderr } = inFolder(cwd, ...command)
      expect(stderr).toBe('throughline: there is no database throughline.db: say where it is with --db\n')
      expect(status).toBe(2)
    }
    expect(readdirSync(cwd)).toEqual([])
    copyFileSync(db, join(cwd, 'throughline.db'))
    expect(inFolder(cwd, 'log', 'show', 'harbour').stdout).toContain('Keep berth 12 for the Heron.')
    expect(inFolder(cwd, 'experiment', 'list')).toMatchObject({ status: 0, stdout: '' })
    for (const command of ['log', 'experiment'])
      expect(inFolder(cwd, command, 'list', '--help').stdout).toMatch(/\(default:\s+"throughline\.db"\)/)
  })
})

describe('throughline log', () => {
  it('lists, shows, dumps, searches and checks', () => {
    expect(run('list').stdout).toMatch(/^harbour {2}\d{4}-.*assistant\/main 3 {2}"Berth 12"\n$/)
    expect(run('show', 'harbour').stdout).toBe('user: Keep berth 12 for the Heron.\nassistant: Done.\n')
    expect(run('dump', 'harbour').stdout).toContain(
      '--- ASSISTANT ---\nDone.\n--- NOTE TO SELF ---\nsecret\n',
    )
    expect(run('search', 'heron').stdout).toMatch(/^harbour\/assistant\/main #1 user: .*Heron/)
    expect(run('check').stdout).toBe('all is well\n')
    expect(run('migrate', '--dry-run').stdout).toBe('the schema is up to date\n')
  })

  it('says of a database without conversations that there is nothing to check', async () => {
    const path = join(folder, 'empty.db')
    await createHistory({ store: sqliteStore({ path }) }).close()
    await sqliteStore({ path }).migrate({})
    expect(runOn(path, '', 'check').stdout).toBe('nothing to check: tenant "default" has no conversation\n')
  })

  it('deletes one conversation, those of an actor, or all', async () => {
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
    expect(runOn(path, '', 'delete').stderr).toContain(
      'say what to delete: a conversation, --actor <name>, or --all',
    )
    expect(runOn(path, '', 'delete', 'a', '--all').stderr).toContain('say what to delete')
    expect(runOn(path, '', 'delete', 'a').stdout).toBe('deleted a\n')
    expect(runOn(path, '', 'delete', '--actor', 'clerk').stdout).toBe('deleted b\n1 conversation deleted\n')
    expect(runOn(path, '', 'delete', '--all').stdout).toBe('deleted c\ndeleted d\n2 conversations deleted\n')
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
    const lines = runOn(path, '', 'calls', 'harbour').stdout.trim().split('\n')
    expect(lines.map(line => line.split('  ').at(-1))).toEqual(['interrupted', 'failed: model_overloaded'])
    expect(runOn(path, '', 'dump', 'harbour', '--call', lines[1]!.split(' ')[0]!).stdout).toContain(
      'Is berth 12 free?',
    )
  })

  it('lists the calls of a thread, and shows what was sent in one of them', () => {
    const { stdout } = run('calls', 'harbour')
    expect(stdout).toMatch(
      /^\S+ {2}\S+ {2}turn 1 {2}reader {2}\d+ tokens predicted, 31 reported {2}completed\n$/,
    )
    const [id] = stdout.split(' ')
    const dump = run('dump', 'harbour', '--call', id!).stdout
    expect(dump).toBe(
      '=== SYSTEM PROMPT ===\nBe brief.\n\n=== CURRENT USER MESSAGE ===\nKeep berth 12 for the Heron.\n',
    )
    expect(run('dump', 'harbour', '--call', 'x').stderr).toBe(
      'throughline: there is no call x; "throughline log calls" lists them\n',
    )
  })

  it('exports, imports and copies, also while somebody writes', async () => {
    const writer = sqliteStore({ path: db })
    await writer.migrate()
    try {
      const lines = run('export').stdout
      expect(lines).toContain('secret')
      expect(lines.trimEnd().split('\n').at(-1)).toBe('{"kind":"end","conversation":"harbour","entries":3}')
      const file = join(folder, 'all.jsonl')
      expect(run('export', 'harbour', '--out', file)).toMatchObject({ status: 0, stdout: '' })
      expect(readFileSync(file, 'utf8')).toBe(lines)
      expect(run('export', 'harbour', '--out', file).stderr).toContain('is there already')
      expect(run('export', 'nowhere').stderr).toBe('throughline: there is no conversation "nowhere"\n')
      const other = join(folder, 'other.db')
      expect(runOn(other, '', 'import', file).stdout).toBe('imported 1 conversation, entries: 3, calls: 1\n')
      expect(runOn(other, lines, 'import').stdout).toBe('imported 1 conversation, entries: 3, calls: 1\n')
      expect(runOn(other, '', 'export').stdout).toBe(lines)
      expect(runOn(other, 'nonsense', 'import').stderr).toMatch(
        /^throughline: Line 1 of the import: it is no JSON/,
      )
      expect(runOn(other, '', 'import', join(folder, 'none')).stderr).toMatch(/^throughline: cannot read /)
      const copy = join(folder, 'copy.db')
      expect(run('backup', copy).stdout).toMatch(/^copied \d+ bytes to /)
      expect(runOn(copy, '', 'export').stdout).toBe(lines)
      expect(runOn(copy, '', 'check').stdout).toBe('all is well\n')
      expect(run('backup', copy).status).toBe(2)
    } finally {
      await writer.close()
    }
  })

  it('deletes what is older than it should be kept', () => {
    expect(run('retain').stderr).toMatch(/say what to delete/)
    expect(run('retain', '--conversations', 'soon').stderr).toMatch(/number of days/)
    expect(run('retain', '--conversations', '1', '--calls', '1').stdout).toBe(
      '0 conversations and 0 calls deleted\n',
    )
    expect(run('check', '--rebuild').stdout).toBe('all is well\n')
  })

  it('says in one line what is wrong', () => {
    const { status, stderr } = run('show', 'nowhere')
    expect(status).toBe(2)
    expect(stderr).toBe('throughline: there is no thread nowhere/assistant/main\n')
  })

  it('deletes a conversation whole', () => {
    expect(run('delete', 'harbour').stdout).toBe('deleted harbour\n')
    expect(run('list').stdout).toBe('')
    expect(run('delete', 'harbour').status).toBe(2)
  })
})
