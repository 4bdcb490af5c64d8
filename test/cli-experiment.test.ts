import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres, whyNoPostgres } from '@throughline/test-tools/postgres'
import { cli as main, runCli } from '@throughline/test-tools/run-cli'
import { createExperiments, parseExperiment } from 'throughline/experiment'
import { createHistory } from 'throughline/history'
import { sqliteStore } from 'throughline/stores/sqlite'
import { afterAll, describe, expect, it } from 'vitest'

/** The character that begins a terminal's escape sequences. */
const esc = String.fromCharCode(27)
const stand = join(main, '../../examples/lemonade-stand')
const folder = mkdtempSync(join(tmpdir(), 'throughline-cli-experiment-'))
const children: ChildProcessWithoutNullStreams[] = []
let files = 0

afterAll(() => {
  for (const child of children)
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

const newDb = () => join(folder, `${++files}.db`)

function file(name: string, content: string | object): string {
  const path = join(folder, name)
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

const run = (db: string, ...args: readonly string[]) => runIn({}, db, ...args)

async function runIn(env: NodeJS.ProcessEnv, db: string, ...args: readonly string[]) {
  const ended = await runCli(['experiment', ...args, '--db', db], { env })
  return { ...ended, lines: linesOf(ended) }
}

const linesOf = ({ stdout }: { readonly stdout: string }) => stdout.trimEnd().split('\n')

/** A command that runs in the background. */
const start = (db: string, ...args: readonly string[]) =>
  watch(spawn(process.execPath, [main, 'experiment', ...args, '--db', db], { cwd: folder }))

function watch(child: ChildProcessWithoutNullStreams) {
  children.push(child)
  let stdout = ''
  let stderr = ''
  let onText = () => {}
  child.stdout.on('data', text => {
    stdout += text
    onText()
  })
  child.stderr.on('data', text => {
    stderr += text
    onText()
  })
  const ended = new Promise<{ status: number | null; stdout: string; stderr: string }>(resolve =>
    child.on('close', status => resolve({ status, stdout, stderr })),
  )
  const until = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      onText = () => {
        const found = pattern.exec(stdout + stderr)
        if (found) resolve(found)
      }
      onText()
      void ended.then(() => reject(new Error(`ended before ${pattern}: ${stdout}${stderr}`)))
    })
  return { child, ended, until }
}

/**
 * A plan that counts to five, one a step; in the third step its model waits until the gate is opened. Its folder has no
 * packages installed.
 */
function gatedPlan(): { readonly plan: string; open(): void } {
  const gate = join(folder, `gate-${++files}`)
  const plan = file(
    `plan-${files}.mjs`,
    `
    import { existsSync } from 'node:fs'
    import { setTimeout } from 'node:timers/promises'
    import { defineExperiment } from 'throughline/experiment'
    import { rules } from 'throughline/models'
    const input = { '~standard': { version: 1, vendor: 'test', validate: value => ({ value }) } }
    const counter = rules(async ({ messages }) => {
      const isThird = messages.at(-1).content.startsWith('Step 3.')
      while (isThird && !existsSync(${JSON.stringify(gate)})) await setTimeout(20)
      return { calls: [{ name: 'add' }] }
    })
    export default defineExperiment({
      name: 'gated',
      environment: { count: { type: 'int', value: 0 } },
      tools: ({ tool }) => [
        tool({ name: 'add', input, parameters: { type: 'object' }, run: (_, { environment }) => ++environment.count }),
      ],
      roles: [{ name: 'one', model: counter }, { name: 'two', model: rules(() => 'I saw it.') }],
      goals: [{ description: 'counted', holds: ({ count }) => count >= 5 }],
    })`,
  )
  return { plan, open: () => writeFileSync(gate, '') }
}

describe('throughline experiment run', () => {
  const db = newDb()

  it('runs a plan in TypeScript to its goal, in plain lines when nobody watches', async () => {
    const { status, stdout, stderr } = await start(
      db,
      'run',
      join(stand, 'plan.ts'),
      '--id',
      'stand',
    ).ended
    const lines = linesOf({ stdout })
    expect(stderr).toBe('')
    expect(status).toBe(0)
    expect(lines.slice(0, 6)).toEqual([
      'started lemonade-stand as stand, step 1',
      'step 1 began',
      'step 1 weather acts',
      expect.stringMatching(/^step 1 weather \d+ tokens predicted, \d+ reported$/),
      'step 1 weather calls set_weather {"weather":"sunny"}',
      'step 1 weather set_weather gave nothing',
    ])
    expect(lines).toContain('step 1 owner take_loan gave: {"cash":120,"loan":100}')
    expect(lines).toContain('step 1 goal does not hold: Net worth has reached 1000')
    expect(lines).toContain('step 14 goal holds: Net worth has reached 1000')
    expect(lines.at(-1)).toBe('COMPLETED after 14 steps: Net worth has reached 1000')
    expect(existsSync(`${db}-control`)).toBe(false)
  })

  it('lists, shows and tells the history of a role', async () => {
    expect((await run(db, 'list')).stdout).toBe(
      'stand  lemonade-stand  COMPLETED  step 14 of 30  Net worth has reached 1000\n',
    )
    expect((await run(db, 'show', 'stand')).lines).toEqual([
      'lemonade-stand (stand)',
      'COMPLETED: Net worth has reached 1000',
      '14 of 30 steps',
      'roles: weather, customers, owner',
      '● Net worth has reached 1000',
      '○ The cash is gone and the loan is 200 or more',
      'weather = "sunny"',
      'demand = 60 (began as 0)',
      'cash = 1155 (began as 20)',
      'loan = 100 (began as 0)',
      'lemons = 0',
    ])
    const { lines } = await run(db, 'history', 'stand', '--role', 'weather')
    expect(lines).toHaveLength(14 * 3)
    expect(lines.slice(0, 3)).toEqual([
      'user: Step 1. Current Environment: {"weather":"sunny"}',
      'assistant: → set_weather({"weather":"sunny"})',
      'tool set_weather:',
    ])
  })

  it('runs the same plan as JSON, whose tools come from a module, and with another model', async () => {
    const json = await run(db, 'run', join(stand, 'plan.json'), '--id', 'json')
    expect(json.lines.at(-1)).toBe('COMPLETED after 14 steps: Net worth has reached 1000')
    const read = await run(db, 'run', join(stand, 'plan.json'), '--id', 'read', '--model', 'reader')
    expect(read.lines.at(-1)).toBe('FAILED after 30 steps: Max Steps Exceeded')
    expect(read.status).toBe(1)
    const advised = await run(db, 'run', join(stand, 'plan.ts'), '--model', 'reader')
    expect(advised.lines[0]).toMatch(
      /^started lemonade-stand as lemonade-stand-[0-9a-f]{6}, step 1$/,
    )
    expect(advised.lines.at(-1)).toBe('COMPLETED after 14 steps: Net worth has reached 1000')
  })

  it('runs with a model of Ollama by one flag, and says so when there is none', async () => {
    const server = watch(spawn(process.execPath, [main, 'reader', '--port', '0']))
    const [, url] = await server.until(/listens at (\S+)/)
    const ollama = (host: string, id: string) =>
      runIn(
        { OLLAMA_HOST: host },
        db,
        'run',
        join(stand, 'plan.ts'),
        '--id',
        id,
        '--model',
        'ollama:reader',
      )
    expect((await ollama(url!, 'ollama')).lines.at(-1)).toBe(
      'COMPLETED after 14 steps: Net worth has reached 1000',
    )
    server.child.kill('SIGTERM')
    await server.ended
    const { status, stderr } = await ollama(url!, 'nobody')
    expect(status).toBe(2)
    expect(stderr).toMatch(/^throughline: .*Ollama at .*start it with "ollama serve"/)
    expect((await run(db, 'show', 'nobody')).stderr).toContain('There is no experiment')
  })

  it('tells the end of one that is over when it is resumed', async () => {
    const end = 'COMPLETED after 14 steps: Net worth has reached 1000'
    expect((await run(db, 'resume', 'json', join(stand, 'plan.json'))).stdout).toBe(`${end}\n`)
    expect((await run(db, 'resume', 'stand', join(stand, 'plan.ts'))).stdout).toBe(`${end}\n`)
  })

  it('says in one line what is wrong', async () => {
    const refused = async (...args: readonly string[]) => {
      const { status, stdout, stderr } = await run(db, ...args)
      expect(status).toBe(2)
      expect(stdout).toBe('')
      expect(stderr.split('\n')).toHaveLength(2)
      return stderr
    }
    const plan = { name: 'x', environment: {}, roles: [{ name: 'a', model: 'reader' }] }
    expect(await refused('run', join(stand, 'plan.ts'), '--id', 'stand')).toBe(
      'throughline: There is an experiment "stand" already: resume it, or choose another id.\n',
    )
    expect(await refused('resume', 'stand')).toMatch(
      /the plan of "stand" is code.*resume stand <plan>/,
    )
    expect(await refused('run', join(folder, 'none.json'))).toMatch(
      /cannot read .*none\.json: ENOENT/,
    )
    expect(await refused('run', join(folder, 'none.ts'))).toMatch(/cannot load .*none\.ts: /)
    expect(await refused('run', file('half.json', '{"name":'))).toMatch(
      /cannot read the JSON of .*half\.json/,
    )
    expect(
      await refused(
        'run',
        file('odd.json', { ...plan, goals: [{ description: 'g', holds: 'cash > 1' }] }),
      ),
    ).toMatch(/The experiment "x" cannot be run\. goals\[0\]\.holds \("g"\): .*cash/)
    expect(
      await refused('run', file('models.json', { ...plan, roles: [{ name: 'a', model: 'gpt' }] })),
    ).toMatch(/roles\[0\]\.model: .*expected reader, ollama:<model>/)
    expect(await refused('run', file('empty.ts', 'export const a: number = 1'))).toMatch(
      /has no plan: its default/,
    )
    expect(await refused('run', file('torn.ts', 'export default {{{'))).toMatch(
      /cannot load .*torn\.ts: /,
    )
    const invalid = `import { defineExperiment } from 'throughline/experiment'
      export default defineExperiment({ name: 'bad', environment: {}, roles: [] })`
    expect(await refused('run', file('invalid.mjs', invalid))).toMatch(
      /invalid\.mjs: The experiment "bad" cannot be run\. roles: expected at least one\./,
    )
    expect(await refused('show', 'nobody')).toBe('throughline: There is no experiment "nobody".\n')
    expect(await refused('history', 'stand', '--role', 'cat')).toMatch(
      /has no role "cat"\. It has: weather/,
    )
    expect(await refused('pause', 'stand')).toMatch(/"stand" has ended as COMPLETED/)
    for (const command of ['list', 'pause x', 'resume x']) {
      const none = join(folder, 'none.db')
      expect((await run(none, ...command.split(' '))).stderr).toMatch(
        /there is no database .*none\.db/,
      )
      expect(existsSync(none)).toBe(false)
    }
  })
})

describe('an experiment that is run by another process', () => {
  const counted = 'COMPLETED after 5 steps: counted'

  /** An experiment in its third step, waiting at the gate. */
  async function startGated(db: string, ...args: readonly string[]) {
    const gated = gatedPlan()
    const running = start(db, 'run', gated.plan, '--id', 'it', ...args)
    await running.until(/step 3 one acts/)
    return { ...gated, ...running }
  }

  it('can be paused and goes on where it was', async () => {
    const db = newDb()
    const { plan, open, child, ended } = await startGated(db)
    expect((await run(db, 'show', 'it')).lines.slice(0, 3)).toEqual([
      'gated (it)',
      'RUNNING',
      '2 of 10 steps',
    ])
    expect((await run(db, 'pause', 'it')).stdout).toBe(
      `it will pause before the next role acts (process ${child.pid} was asked)\n`,
    )
    open()
    const { status, stdout } = await ended
    expect(status).toBe(0)
    const goOn = `Go on with: throughline experiment resume it ${plan} --db ${db}`
    expect(stdout.trimEnd().split('\n').slice(-3)).toEqual([
      'step 3 one add gave: 3',
      'PAUSED after 2 steps',
      goOn,
    ])
    expect((await run(db, 'list')).stdout).toBe('it  gated  PAUSED  step 2 of 10\n')
    expect((await run(db, 'pause', 'it')).stdout).toBe('it is paused\n')
    const { lines } = await run(db, 'resume', 'it', plan)
    expect(lines.slice(0, 3)).toEqual([
      'resumed gated as it, step 3',
      'step 3 began',
      'step 3 two acts',
    ])
    expect(lines.at(-1)).toBe(counted)
    expect((await run(db, 'history', 'it', '--role', 'two')).lines).toHaveLength(10)
  })

  it('can be stopped, and then is over', async () => {
    const db = newDb()
    const { plan, open, ended } = await startGated(db)
    expect((await run(db, 'stop', 'it')).stdout).toMatch(/^it will stop before the next role acts/)
    open()
    const { status, stdout } = await ended
    expect(status).toBe(0)
    expect(stdout).toContain('\nSTOPPED after 2 steps: Stopped by User\n')
    expect((await run(db, 'resume', 'it', plan)).stdout).toMatch(/^STOPPED after 2 steps/)
    expect((await run(db, 'stop', 'it')).stderr).toMatch(/has ended as STOPPED/)
  })

  it('cannot be asked when the file belongs to another experiment, or to another program', async () => {
    const db = newDb()
    const one = await startGated(db)
    one.child.kill('SIGTERM')
    expect((await one.ended).stdout).toContain('PAUSED after 2 steps')
    const other = start(db, 'run', one.plan, '--id', 'other')
    await other.until(/step 3 one acts/)
    expect((await run(db, 'stop', 'it')).stderr).toMatch(
      new RegExp(`is in use by process ${other.child.pid}, which runs other: try again later`),
    )
    other.child.kill('SIGTERM')
    await other.ended
    const store = sqliteStore({ path: db })
    await store.migrate()
    expect((await start(db, 'stop', 'it').ended).stderr).toMatch(
      /is open for writing in process \d+: a file has one writer/,
    )
    await store.close()
    expect((await run(db, 'stop', 'it')).stdout).toBe('it is stopped\n')
  })

  it('is paused by Ctrl-C before the next role acts', async () => {
    const db = newDb()
    const { open, child, until, ended } = await startGated(db)
    child.kill('SIGINT')
    await until(/Pauses before the next role acts/)
    open()
    const { status, stdout } = await ended
    expect(status).toBe(0)
    expect(stdout).toMatch(/step 3 one add gave: 3\nPAUSED after 2 steps\nGo on with: /)
  })

  it('is left at once by a second Ctrl-C; what was being answered is asked again', async () => {
    const db = newDb()
    const { plan, open, child, until, ended } = await startGated(db)
    child.kill('SIGINT')
    await until(/Press Ctrl-C again/)
    child.kill('SIGINT')
    const { status, stdout } = await ended
    expect(status).toBe(0)
    expect(stdout).toMatch(/step 3 one acts\nPAUSED after 2 steps\nGo on with: /)
    open()
    const { lines } = await run(db, 'resume', 'it', plan)
    expect(lines).toContain('step 3 one add gave: 3')
    expect(lines.at(-1)).toBe(counted)
  })

  it('is shown as interrupted at once when its process was killed', async () => {
    const db = newDb()
    const { child, ended } = await startGated(db)
    expect((await run(db, 'list')).stdout).toBe('it  gated  RUNNING  step 2 of 10\n')
    child.kill('SIGKILL')
    await ended
    expect((await run(db, 'list')).stdout).toBe('it  gated  INTERRUPTED  step 2 of 10\n')
    expect((await run(db, 'show', 'it')).lines[1]).toBe('INTERRUPTED')
  })

  it('is paused when nobody reads what it prints any more', async () => {
    const db = newDb()
    const { plan, open } = gatedPlan()
    open()
    const line = `'${process.execPath}' '${main}' experiment run '${plan}' --id it --db '${db}' | head -n 2`
    const { stdout, stderr } = spawnSync(
      'bash',
      ['-c', `set -o pipefail; ${line}; echo "status $?"`],
      {
        encoding: 'utf8',
        cwd: folder,
      },
    )
    expect(stdout).toBe('started gated as it, step 1\nstep 1 began\nstatus 0\n')
    expect(stderr).toBe('')
    expect((await run(db, 'list')).stdout).toMatch(/^it {2}gated {2}PAUSED {2}step \d of 10\n$/)
    expect(existsSync(`${db}-control`)).toBe(false)
    expect((await run(db, 'resume', 'it', plan)).lines.at(-1)).toBe(counted)
  })

  it('goes on at once after its process was killed, whatever its lease', async () => {
    const db = newDb()
    const { plan, open, child, ended } = await startGated(db, '--lease', '600')
    child.kill('SIGKILL')
    await ended
    open()
    const { status, lines, stderr } = await run(db, 'resume', 'it', plan)
    expect(stderr).toBe('')
    expect(status).toBe(0)
    expect(lines[0]).toBe('resumed gated as it, step 3')
    expect(lines.at(-1)).toBe(counted)
    expect((await run(db, 'history', 'it', '--role', 'one')).lines).toHaveLength(15)
    expect(existsSync(`${db}-control`)).toBe(false)
  })
})

describe('an experiment that came with imported data', () => {
  const role = { name: 'a', model: 'reader' }

  /** A database that was made from the export of another one, with an experiment that is paused before its first step. */
  async function imported(id: string, plan: object): Promise<string> {
    const [from, db] = [newDb(), newDb()]
    const store = sqliteStore({ path: from })
    const experiments = createExperiments({
      history: createHistory({ store }),
      wishOf: () => 'pause',
    })
    const parsed = parseExperiment({ name: 'sent', environment: {}, maxSteps: 1, ...plan })
    expect(await experiments.run(parsed, { id }).result()).toMatchObject({ status: 'PAUSED' })
    await store.close()
    const exported = await runCli(['log', 'export', id, '--db', from])
    const sent = file(`${id}.jsonl`, exported.stdout)
    expect(await runCli(['log', 'import', sent, '--db', db])).toMatchObject({
      status: 0,
      stderr: '',
    })
    return db
  }

  it('never runs the module that stands in it; the person names the plan again', async () => {
    const trace = join(folder, 'trace')
    const tools = file(
      'sent.mjs',
      `import fs from 'node:fs'; fs.writeFileSync(${JSON.stringify(trace)}, '')`,
    )
    const db = await imported('tools', { tools, roles: [role] })
    const { status, stderr } = await run(db, 'resume', 'tools')
    expect(existsSync(trace)).toBe(false)
    expect(stderr).toBe(
      `throughline: the plan of "tools" names code, "${tools}". Code that a database names is never run: ` +
        'name the plan, throughline experiment resume tools <plan>\n',
    )
    expect(status).toBe(2)
    // Control: a plan that the person names is run.
    const named = { name: 'sent', environment: {}, tools: './sent.mjs', roles: [role], maxSteps: 1 }
    expect((await run(db, 'resume', 'tools', file('named.json', named))).lines.at(-1)).toMatch(
      /^FAILED after 1 step/,
    )
    expect(existsSync(trace)).toBe(true)
  })

  it('sends nothing to the server that stands in it', async () => {
    let asked = 0
    const server = createServer((_, response) => {
      asked += 1
      response.writeHead(400).end()
    }).listen(0, '127.0.0.1')
    await new Promise(resolve => server.once('listening', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
    const db = await imported('server', { roles: [{ ...role, model: `openai:${url}#m` }] })
    const { status, stderr } = await run(db, 'resume', 'server')
    expect(asked).toBe(0)
    expect(stderr).toMatch(
      /roles\[0\]\.model: "openai:http.*#m" is a server.* never asked.*resume server <plan>/,
    )
    expect(status).toBe(2)
    expect((await run(db, 'resume', 'server', '--model', 'reader')).stdout).toMatch(
      /FAILED after 1 step: Max Steps Exceeded/,
    )
    server.close()
  })

  it('goes on without its plan where that names nothing outside', async () => {
    const db = await imported('plain', { roles: [role] })
    expect((await run(db, 'resume', 'plain')).lines.at(-1)).toBe(
      'FAILED after 1 step: Max Steps Exceeded',
    )
  })

  it('runs no module that lies outside of the folder of its plan', async () => {
    mkdirSync(join(folder, 'inner'))
    const trace = join(folder, 'outer-trace')
    const outer = file(
      'outer.mjs',
      `import fs from 'node:fs'; fs.writeFileSync(${JSON.stringify(trace)}, '')`,
    )
    symlinkSync(outer, join(folder, 'inner/linked.mjs'))
    for (const tools of ['../outer.mjs', outer, './linked.mjs']) {
      const plan = file('inner/plan.json', { name: 'x', environment: {}, tools, roles: [role] })
      const { status, stderr } = await run(newDb(), 'run', plan)
      expect(stderr).toMatch(
        /inner\/plan\.json: its tools must be a module beside it, such as "\.\/tools\.ts", not /,
      )
      expect(status).toBe(2)
    }
    expect(existsSync(trace)).toBe(false)
  })
})

describe('in PostgreSQL', () => {
  const reason = whyNoPostgres()
  if (reason) console.warn(`test/cli-experiment: not tested on PostgreSQL: ${reason}`)

  it.skipIf(reason)('is paused and refused to others through the log', async () => {
    const server = await startPostgres()
    try {
      const { plan, open } = gatedPlan()
      const running = start(server.url, 'run', plan, '--id', 'it', '--tenant', 'ada')
      await running.until(/step 3 one acts/)
      expect((await run(server.url, 'list')).stdout).toBe('')
      const second = await run(server.url, 'resume', 'it', plan, '--tenant', 'ada')
      expect(second.stderr).toMatch(/^throughline: it is run by another process\. If that one died/)
      expect((await run(server.url, 'pause', 'it', '--tenant', 'ada')).stdout).toBe(
        'it will pause before the next role acts\n',
      )
      open()
      const { status, stdout } = await running.ended
      expect(status).toBe(0)
      expect(stdout).toContain('step 3 one add gave: 3\nPAUSED after 2 steps\n')
      expect(stdout).toContain(`resume it ${plan} --db <url> --tenant ada\n`)
      const { lines } = await run(server.url, 'resume', 'it', plan, '--tenant', 'ada')
      expect(lines.at(-1)).toBe('COMPLETED after 5 steps: counted')
    } finally {
      await server.stop()
    }
  })
})

describe('in a terminal', () => {
  const hasScript = spawnSync('script', ['--version']).status === 0
  if (!hasScript)
    console.warn('test/cli-experiment: not tested in a terminal, there is no program "script"')

  /** Runs the program in a terminal of this size; gives its output. */
  function show(
    columns: number,
    env: NodeJS.ProcessEnv = {},
  ): { status: number | null; text: string } {
    const command = [
      process.execPath,
      main,
      'experiment',
      'run',
      join(stand, 'plan.ts'),
      '--db',
      newDb(),
    ]
    const line = `stty cols ${columns} rows 20; exec ${command.map(word => `'${word}'`).join(' ')}`
    const { status, stdout } = spawnSync('script', ['-qec', line, '/dev/null'], {
      encoding: 'utf8',
      env: { ...process.env, TERM: 'xterm', NO_COLOR: '', ...env },
    })
    return { status, text: stdout.replaceAll('\r\n', '\n') }
  }

  it.runIf(hasScript)('redraws in place, and the last picture stays', () => {
    const { status, text } = show(100)
    expect(status).toBe(0)
    const frames = text.split(new RegExp(`${esc}\\[\\d+A\\r${esc}\\[J`))
    expect(frames.length).toBeGreaterThan(2)
    const last = plain(frames.at(-1)!).trimEnd().split('\n')
    expect(last[0]).toMatch(/^lemonade-stand {2}step 14 of 30 {2}\d+ s {2}lemonade-stand-/)
    expect(last[3]).toMatch(
      /^ {2}owner {6}done {10}\d+\/\d+ tokens {2,}sell_lemonade → \{"sold":60/,
    )
    expect(last.slice(4)).toEqual([
      '● Net worth has reached 1000',
      '○ The cash is gone and the loan is 200 or more (fails)',
      'changed: weather "cloudy" → "sunny", demand 40 → 60, cash 1065 → 1155',
      'COMPLETED after 14 steps: Net worth has reached 1000',
    ])
    expect(text).toContain('\u001b[32m● ')
    expect(text).not.toContain('\u001b[?25l')
    // Up by as many lines as were there.
    const heights = frames.map(frame => frame.split('\n').length - 1)
    const ups = [...text.matchAll(new RegExp(`${esc}\\[(\\d+)A`, 'g'))].map(match =>
      Number(match[1]),
    )
    expect(ups).toEqual(heights.slice(0, -1))
  })

  it.runIf(hasScript)(
    'cuts every line to a narrow one, and has no colours where none are wanted',
    () => {
      const { text } = show(30, { NO_COLOR: '1' })
      expect(text).not.toMatch(new RegExp(`${esc}\\[\\d+m`))
      const drawn = plain(text)
        .split('\n')
        .filter(line => !line.startsWith('COMPLETED'))
      expect(Math.max(...drawn.map(line => line.length))).toBe(29)
      expect(drawn).toContain('○ The cash is gone and the l…')
    },
  )

  it.runIf(hasScript)('takes Ctrl-C, and says inside of the picture what it means', async () => {
    const { plan, open } = gatedPlan()
    const line = `stty cols 100 rows 20; exec '${process.execPath}' '${main}' experiment run '${plan}' --db '${newDb()}'`
    const env = { ...process.env, TERM: 'xterm', NO_COLOR: '1' }
    const { child, until, ended } = watch(spawn('script', ['-qec', line, '/dev/null'], { env }))
    await until(/step 3 of 10[^\n]*\n▸ one {2}thinks/)
    child.stdin.write(String.fromCharCode(3))
    await until(/Press Ctrl-C again/)
    open()
    const { status, stdout } = await ended
    expect(status).toBe(0)
    const last = plain(stdout.split(`${esc}[J`).at(-1)!)
      .trimEnd()
      .split('\n')
    expect(last.filter(text => text.startsWith('gated'))).toHaveLength(1)
    expect(last.at(-3)).toBe(
      'Pauses before the next role acts. Press Ctrl-C again to leave at once.',
    )
    expect(last.at(-2)).toBe('PAUSED after 2 steps')
  })

  const plain = (text: string) => text.replaceAll(new RegExp(`${esc}\\[\\d*[A-Zm]|\\r`, 'gi'), '')
})

if (process.platform !== 'linux')
  console.info('Skipped: the signals of a process, which only Linux tells')
// The experiments above were run in this process.
it.skipIf(process.platform !== 'linux')(
  'leaves a process that a closed socket does not end',
  () => {
    const [, ignored] = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))!
    expect(BigInt(`0x${ignored}`) & 0x1000n, 'the bit of SIGPIPE').toBe(0x1000n)
  },
)
