import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createHistory } from '@throughline/history'
import { sqliteStore } from '@throughline/stores/sqlite'
import { cli, runCli } from '@throughline/test-tools/run-cli'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'throughline-numbers-'))
const db = join(folder, 'log.db')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const day = 86_400_000

beforeAll(async () => {
  for (const [name, age] of [
    ['old', 40 * day],
    ['fresh', 0],
  ] as const) {
    const now = () => Date.now() - age
    const history = createHistory({ store: sqliteStore({ path: db, now }), now })
    await history.thread(name).seed({ role: 'user', content: 'Hello.' })
    await history.close()
  }
})

const listed = async () => (await runCli(['log', 'list', '--db', db])).stdout.match(/^\w+/gm)

/** What a script hands over whose variable was never set, or holds something else. */
const noNumbers = [
  '',
  ' ',
  '0x0',
  '1e9',
  '-1',
  '1.5',
  'NaN',
  'Infinity',
  '٣',
  '5 days',
  '99999999999999999999',
]

describe('a number of the command line', () => {
  const options: readonly (readonly string[])[] = [
    ['log', 'retain', '--yes', '--db', db, '--conversations'],
    ['log', 'retain', '--yes', '--db', db, '--calls'],
    ['log', 'show', 'old', '--db', db, '--last'],
    ['log', 'calls', 'old', '--db', db, '--last'],
    ['log', 'dump', 'old', '--db', db, '--window'],
    ['log', 'dump', 'old', '--db', db, '--at'],
    ['fit', '--window'],
    ['fit', '--reserve'],
    ['fit', '--messages'],
    ['fit', '--effort'],
    ['fit', '--max-tool-tokens'],
    ['demo', '--window'],
    ['reader', '--port'],
    ['reader', '--window'],
    ['experiment', 'run', 'plan.json', '--lease'],
    ...[
      '--port',
      '--window',
      '--reserve',
      '--effort',
      '--keep-for',
      '--keep-calls-for',
      '--max-body',
    ].map(flag => ['serve', '--print-config', flag]),
  ]
  for (const command of options)
    it(`is digits, a unit where one is meant, and in its range, or refused: ${command[0]} ${command.at(-1)}`, async () => {
      for (const value of noNumbers) {
        // A share may have a fraction; this one is too large.
        const { status, stderr } = await runCli([
          ...command.slice(0, -1),
          `${command.at(-1)}=${value}`,
        ])
        expect([value, status]).toEqual([value, 2])
        expect(stderr).toContain(command.at(-1)!)
      }
      expect(await listed()).toEqual(['fresh', 'old'])
    })

  it('has a unit where it says how long to keep something', async () => {
    for (const flag of ['--keep-for', '--keep-calls-for']) {
      const given = (value: string) => runCli(['serve', '--print-config', flag, value])
      for (const bare of ['90', '3650', '7776000000', '0d', '0s'])
        expect((await given(bare)).stderr).toContain('must be a time with its unit')
      expect((await given('90d')).stdout).toContain(String(90 * day))
    }
  })
})

describe('throughline log retain', () => {
  const retain = (...args: readonly string[]) => runCli(['log', 'retain', '--db', db, ...args])

  it('says what would go and deletes nothing, unless the answer is yes', async () => {
    const would = 'would delete old\nwould delete 1 conversation and 0 calls\n'
    for (const age of ['30', '30d', '720h']) {
      const { status, stdout, stderr } = await retain('--conversations', age)
      expect([status, stdout]).toEqual([2, would])
      expect(stderr).toContain('nothing was deleted: say --yes')
      expect(await retain('--conversations', age, '--dry-run')).toEqual({
        status: 0,
        stdout: would,
        stderr: '',
      })
    }
    // Where nothing would go, there is nothing to ask.
    expect(await retain('--conversations', '90')).toMatchObject({ status: 0 })
    expect(await listed()).toEqual(['fresh', 'old'])
  })

  it('asks who sits at a terminal, and takes only yes for an answer', async () => {
    const ask = async (answer: string) => {
      const terminal = ['--import', 'data:text/javascript,process.stdin.isTTY=true']
      const child = spawn(process.execPath, [
        ...terminal,
        cli,
        'log',
        'retain',
        '--db',
        db,
        '--conversations',
        '30',
      ])
      child.stdin.end(answer)
      const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
      return { stdout, stderr }
    }
    for (const answer of ['n\n', '\n', 'maybe\n'])
      expect((await ask(answer)).stderr).toContain('Delete this for good? [y/N] ')
    expect(await listed()).toEqual(['fresh', 'old'])
    expect((await ask('y\n')).stdout).toContain('\ndeleted 1 conversation and 0 calls\n')
    expect(await listed()).toEqual(['fresh'])
  })
})
