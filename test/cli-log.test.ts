import { spawnSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHistory } from 'throughline'
import { sqliteStore } from 'throughline/stores/sqlite'
import { beforeAll, describe, expect, it } from 'vitest'

const main = join(import.meta.dirname, '../dist/cli/main.js')
const db = join(mkdtempSync(join(tmpdir(), 'throughline-log-')), 'log.db')

function run(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, 'log', ...args, '--db', db], {
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

beforeAll(async () => {
  const history = createHistory({ store: sqliteStore({ path: db }) })
  const begun = await history
    .thread('harbour')
    .begin({ role: 'user', content: 'Keep berth 12 for the Heron.' })
  if (begun.kind === 'begun')
    await begun.turn.complete({ role: 'assistant', content: 'Done.' }, { note: 'secret' })
  await history.close()
})

describe('throughline log', () => {
  it('lists, shows, dumps, searches and checks', () => {
    expect(run('list').stdout).toMatch(/^harbour {2}\d{4}-.*assistant\/main 3\n$/)
    expect(run('show', 'harbour').stdout).toBe('user: Keep berth 12 for the Heron.\nassistant: Done.\n')
    expect(run('dump', 'harbour').stdout).toContain('[NOTE TO SELF: secret]')
    expect(run('search', 'heron').stdout).toMatch(/^harbour\/assistant\/main #1 user: .*Heron/)
    expect(run('check').stdout).toBe('all is well\n')
    expect(run('migrate', '--dry-run').stdout).toBe('the schema is up to date\n')
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
