// What real coding agents cost and keep through the server, beside what they do alone: one long task, a scripted model.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readArgs } from './lib/args.mjs'
import { formatTable } from './lib/table.mjs'
import { measureRun } from './programs/measure.mjs'
import { startModel } from './programs/model-server.mjs'
import { programs, runProgram } from './programs/programs.mjs'
import { files, plan } from './programs/task.mjs'
import { subjects } from './proxy/subjects.mjs'

const options = readArgs({
  programs: { type: 'string', default: Object.keys(programs).join() },
  runs: { type: 'string', default: 'free,alone,32768,24576' },
  folder: { type: 'string', default: fileURLToPath(new URL('.programs', import.meta.url)) },
  'read-ahead': { type: 'string', default: 'local' },
  keep: { type: 'string' },
})
const say = line => console.error(`programs: ${line}`)
const limit = 32_000

const bin = install(resolve(options.folder))
const rows = []
for (const name of options.programs.split(','))
  for (const run of options.runs.split(',')) {
    say(`${programs[name].title}, ${titles(run)}`)
    rows.push(await measure(name, run))
  }
console.log(options.json ? JSON.stringify(rows, null, 2) : report())
process.exit(0)

function titles(run) {
  if (run === 'free') return 'alone, no limit'
  return run === 'alone' ? `alone, ${limit} tokens` : `with us, ${run} tokens`
}

async function measure(name, run) {
  const { title, kind, toCall } = programs[name]
  const place = mkdtempSync(join(tmpdir(), 'throughline-programs-'))
  const [home, folder] = [join(place, 'home'), join(place, 'work')]
  mkdirSync(home, { recursive: true })
  for (const { path, text } of files) {
    mkdirSync(join(folder, dirname(path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const window = Number(run)
  const isOurs = window > 0
  const most = isOurs ? window : run === 'alone' ? limit : undefined
  const model = await startModel({ toCall: step => toCall(step, folder), ...(most && { most }) })
  const flags = ['--window', window, '--upstream-kind', kind, '--read-ahead', options['read-ahead']]
  const server = isOurs && (await subjects.throughline(model.url, flags))
  const url = server ? new URL(server.url).origin : model.url
  try {
    const told = run === 'alone' ? limit : undefined
    const { code, output } = await runProgram(name, {
      bin,
      url,
      home,
      folder,
      window: told,
      seconds: 900,
    })
    const end = model.isDone() ? 'done' : `stops (${code}): ${output.trim().split('\n').at(-1)}`
    if (options.keep) keep(name, run, model.requests)
    return { program: title, run: titles(run), ...measureRun(model.requests, plan), end }
  } finally {
    await server?.stop?.()
    model.stop()
    rmSync(place, { recursive: true, force: true })
  }
}

function keep(name, run, requests) {
  mkdirSync(options.keep, { recursive: true })
  writeFileSync(join(options.keep, `${name}-${run}.json`), JSON.stringify(requests))
}

/** The programs are installed once, into a folder that git does not see. */
function install(folder) {
  const found = join(folder, 'node_modules', '.bin')
  const missing = options.programs.split(',').filter(name => !existsSync(join(found, name)))
  if (missing.length > 0) {
    mkdirSync(folder, { recursive: true })
    if (!existsSync(join(folder, 'package.json'))) writeFileSync(join(folder, 'package.json'), '{}')
    const packages = missing.map(name => programs[name].package)
    say(`installing ${packages.join(', ')} (once)`)
    const { status } = spawnSync('npm', ['install', '--loglevel=error', ...packages], {
      cwd: folder,
      stdio: ['ignore', 2, 2],
      shell: process.platform === 'win32',
    })
    if (status !== 0)
      throw new Error(
        `npm install in ${folder} failed: install them there, or name their folder with --folder`,
      )
  }
  return found
}

function report() {
  const head = [
    'program',
    'run',
    'requests',
    'prompt',
    'read, one',
    'read, many',
    'beside',
    'plan',
    'facts',
    'torn',
    'end',
  ]
  const lines = rows.map(
    ({ program, run, requests, prompt, one, many, beside, plan: inView, facts, torn, end }) =>
      [program, run, requests, prompt, one, many, beside, inView, facts, torn, end].map(String),
  )
  return formatTable([head, ...lines])
}
