// How many conversations one machine holds: a log of many conversations on SQLite, then the server on it, with clients that
// go on with conversations here and there. What the model server costs is left out: the built-in reader answers.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { createHistory } from '../dist/history/index.js'
import { sqliteStore } from '../dist/stores/sqlite/sqlite-store.js'
import { round } from './lib/stats.mjs'
import { formatTable } from './lib/table.mjs'
import { textAt } from './lib/texts.mjs'
import { memoryOf } from './proxy/subjects.mjs'

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    conversations: { type: 'string', default: '100,1000,10000' },
  },
})
const sizes = values.conversations.split(',').map(Number)
const turns = 10
const requests = 400
const clients = 8
const say = line => console.error(`sizing: ${line}`)

const results = []
for (const conversations of sizes) results.push(await measure(conversations))
console.log(values.json ? JSON.stringify(results, null, 2) : report())

async function measure(conversations) {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-sizing-'))
  try {
    const path = join(folder, 'log.db')
    say(`${conversations} conversations of ${turns} turns: writing`)
    await write(path, conversations)
    const bytes = readdirSync(folder).reduce(
      (sum, name) => sum + statSync(join(folder, name)).size,
      0,
    )
    say('serving')
    return {
      conversations,
      turns,
      mb: round(bytes / 1e6),
      kbEach: round(bytes / 1e3 / conversations),
      ...(await serve(path, conversations)),
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Conversations as an import writes them: about 80 tokens a message. */
async function write(path, conversations) {
  const store = sqliteStore({ path })
  const history = createHistory({ store })
  for (let n = 0; n < conversations; n++) {
    const messages = Array.from({ length: turns * 2 }, (_, at) => ({
      role: at % 2 ? 'assistant' : 'user',
      content: textAt(n * turns * 2 + at),
    }))
    await history.thread(`talk-${n}`).seed(...messages)
  }
  await store.close()
}

async function serve(path, conversations) {
  const main = fileURLToPath(new URL('../dist/main.js', import.meta.url))
  const flags = [
    'serve',
    '--port',
    '0',
    '--db',
    path,
    '--upstream',
    'reader',
    '--log-level',
    'error',
  ]
  const began = performance.now()
  const child = spawn(process.execPath, [main, ...flags], { stdio: ['ignore', 'ignore', 'pipe'] })
  try {
    const url = await addressOf(child)
    const startMs = performance.now() - began
    const idleMB = memoryOf(child.pid)
    const listMs = await timed(() => ask(`${url}/throughline/v1/conversations?limit=100`))
    const searchMs = await timed(() => ask(`${url}/throughline/v1/search?q=ticket`))
    let mostMB = idleMB
    const watch = setInterval(() => {
      mostMB = Math.max(mostMB, memoryOf(child.pid))
    }, 100)
    const times = []
    const from = performance.now()
    await Promise.all(
      Array.from({ length: clients }, async (_, client) => {
        for (let n = client; n < requests; n += clients) {
          // Spread over the whole log; every request finds a conversation that is not in memory yet.
          const name = `talk-${Math.floor((n * conversations) / requests)}`
          const body = {
            model: 'reader',
            messages: [{ role: 'user', content: `What about ticket ${1000 + n}?` }],
          }
          times.push(await timed(() => ask(`${url}/c/${name}/v1/chat/completions`, body)))
        }
      }),
    )
    const seconds = (performance.now() - from) / 1000
    clearInterval(watch)
    times.sort((a, b) => a - b)
    return {
      startMs: round(startMs),
      idleMB: round(idleMB),
      mostMB: round(mostMB),
      listMs: round(listMs),
      searchMs: round(searchMs),
      turnsPerSecond: round(requests / seconds),
      p50: round(times[times.length >> 1]),
      p99: round(times[Math.floor(times.length * 0.99)]),
    }
  } finally {
    child.kill('SIGTERM')
    if (child.exitCode === null) await once(child, 'exit')
  }
}

/** Reads on for as long as the server lives: one that cannot write its words would end. */
function addressOf(child) {
  return new Promise((resolve, reject) => {
    let said = ''
    child.stderr.on('data', chunk => {
      said += chunk
      const found = /listens at (\S+)/.exec(said)
      if (found) resolve(found[1])
    })
    child.once('exit', () => reject(new Error(`The server did not start: ${said}`)))
  })
}

async function ask(url, body) {
  const method = body ? 'POST' : 'GET'
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, {
    method,
    ...(body && { headers, body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text.slice(0, 300)}`)
}

async function timed(work) {
  const began = performance.now()
  await work()
  return performance.now() - began
}

function report() {
  const head = [
    'conversations',
    'on disk',
    'each',
    'start',
    'list',
    'search',
    'memory',
    'turns/s',
    'p50',
    'p99',
  ]
  const lines = results.map(one => [
    one.conversations.toLocaleString('en'),
    `${one.mb} MB`,
    `${one.kbEach} kB`,
    ...[one.startMs, one.listMs, one.searchMs].map(ms => `${ms} ms`),
    `${one.idleMB} → ${one.mostMB} MB`,
    String(one.turnsPerSecond),
    `${one.p50} ms`,
    `${one.p99} ms`,
  ])
  const note = `Each conversation has ${turns} turns; ${clients} clients send ${requests} messages to conversations all over the log.`
  return `${formatTable([head, ...lines])}\n\n${note}`
}
