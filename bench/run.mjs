// `node bench/run.mjs NAME [options]`: installs what the benchmarks compare with, then runs bench/NAME.mjs.
import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'

const benchmarks = {
  quality:
    'is all the evidence for a question in its context? needs --data; --apart: every session a conversation of its own',
  search:
    'which conversation was it? hit@1, hit@5, all@5, MRR beside plain BM25, and the CPU of a search; needs --data; --sizes N,M, --stores A,B',
  prefix:
    'how much of the prompt is read again on each turn? needs --data; --sets A,B, --policies A,B',
  follow:
    'is what was just said, pasted and laid down still in view, and is nothing old brought back for a follow-up? needs --data; --windows, --policies, --sets A,B',
  answers:
    'what does a model answer from the context alone? asks a model of yours and grades by the key; needs --data, --upstream URL, --model M; --grader M',
  ablate:
    'what is each number of recall worth? evidence, follow-up and noise without it; needs --data; --only FILE:NAME,…, --sets A,B',
  agents:
    'do coding agents have in view what their next step names and quotes? needs --data; --calls: the arguments of calls of many tools',
  programs:
    'what Claude Code, Codex and opencode cost and keep through the server and alone; --folder: where they are installed, --programs A,B, --runs free,alone,32768, --read-ahead off, --keep FOLDER',
  ttft: 'how long until the first token, and how much is really read, on a real llama.cpp? needs --data; --turns N, --pause MS, --sets A,B, --rows PART-OF-A-NAME',
  prompt:
    'how much of it is read again when the system prompt changes, as Home Assistant’s does, or has a date in it, as an agent’s?',
  cost: 'what is paid for the input of a long chat and of agents, by the prices of three kinds of servers? needs --data',
  estimate: 'how far is the estimate from exact counts? --data adds the public conversations',
  embed:
    'what an embedder beside the words is worth: evidence and tokens read; needs --data, and Ollama or --stand-in',
  plot: 'draws docs/memory-against-cost.svg from the --json of quality and prefix',
  storage:
    'what it costs to keep a conversation of 500 and of 10,000 turns: time, bytes, appends a second',
  experiment: '100 experiments of 3 roles and 20 steps at once on the reader: time and memory',
  stream: 'parts a second of a reply that pass through a chat',
  proxy: 'the milliseconds that the server adds to a request, beside a gateway that only passes on',
  sizing:
    'how many conversations one machine holds: disk, memory and turns a second of the server at 100 to 10,000',
  far: 'lists, search, retention and deletion at 1,000 to 1,000,000 conversations in PostgreSQL or Citus: time, blocks, tables read whole; needs --store URL; --conversations N,M, --distribute citus, --plans FILE',
  'far-trial':
    'many conversations at once through several servers, while database and servers are stopped: times, cost, and whether every answer is in the log; needs --store URL; --conversations N, --minutes N, --pause S, --event S:COMMAND, --watch PID',
  restart:
    'the first context after a restart of a thread of 1,000 to 100,000 messages on SQLite: time, bytes read',
  fit: 'the time of one turn, append and fit into 4096 tokens, at 100 to 100,000 messages',
}

const [name, ...options] = process.argv.slice(2)
if (name === undefined) {
  console.log('npm run bench -- NAME [--json] [--data DIR]\n')
  for (const [each, line] of Object.entries(benchmarks)) console.log(`  ${each.padEnd(12)}${line}`)
} else if (!Object.hasOwn(benchmarks, name)) {
  fail(`Unknown benchmark "${name}". There is: ${Object.keys(benchmarks).join(', ')}`, 2)
} else {
  if (!isInstalled()) install()
  // The benchmark sees only its own options.
  process.argv.splice(2, process.argv.length, ...options)
  await import(`./${name}.mjs`)
}

/** npm writes node_modules/.package-lock.json at the end of an install: a broken-off one has none. */
function isInstalled() {
  const installed = changedAt('node_modules/.package-lock.json')
  return installed !== undefined && installed >= changedAt('package-lock.json')
}

function changedAt(file) {
  return statSync(new URL(file, import.meta.url), { throwIfNoEntry: false })?.mtimeMs
}

function install() {
  console.error('bench: installing the libraries that we compare with (once, about a minute)')
  // All of npm's output goes to stderr: stdout belongs to the figures. Warnings are about Node versions, see README.
  const { status, error } = spawnSync('npm', ['ci', '--loglevel=error', '--ignore-scripts'], {
    cwd: new URL('.', import.meta.url),
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  })
  if (status !== 0)
    fail(`npm ci in bench/ failed${error ? `: ${error.message}` : `, exit ${status}`}`, 1)
}

function fail(line, code) {
  console.error(`bench: ${line}`)
  process.exit(code)
}
