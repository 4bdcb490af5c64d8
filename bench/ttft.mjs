// How long does a user wait for the first token in a full window, and how much is really read? A real llama.cpp with random weights.
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { loadSets } from './lib/conversations.mjs'
import { cost, policies } from './lib/policies.mjs'
import { median, round } from './lib/stats.mjs'
import { formatTable } from './lib/table.mjs'
import { subjects } from './proxy/subjects.mjs'
import { startEngine } from './ttft/start-engine.mjs'

const {
  json,
  data,
  turns: given,
  pause: pauseMs,
  sets,
  rows: wanted,
} = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    data: { type: 'string', default: process.env.THROUGHLINE_DATA },
    turns: { type: 'string', default: '100' },
    pause: { type: 'string', default: '5000' },
    sets: { type: 'string', default: 'locomo,realmem' },
    rows: { type: 'string', default: '' },
  },
}).values
const window = 4096
const turns = Number(given)
const title = [
  {
    role: 'user',
    content: `### Task:\nGenerate a concise title. ${'Say it in three words. '.repeat(40)}`,
  },
]
// A sequence holds the prompt and the reply to it.
const engine = await startEngine({ slots: 2, window: window + 2048 })
const result = {}
const loaded = loadSets(data)
for (const set of sets.split(',')) {
  const [conversation] = loaded[set]
  const rows = {
    'last-N': library(policies['last-N']),
    'Ollama’s own cutting': library(ollamas),
    stable: library(policies.stable),
    default: library(policies.default),
    'server, stable': server({ policy: 'stable' }),
    'server, default': server({ policy: 'default' }),
    'server, default, a title after each turn': server({ policy: 'default', hasTitles: true }),
    'server, default, a pause after each turn': server({
      policy: 'default',
      pauseMs: Number(pauseMs),
    }),
  }
  result[set] = {}
  for (const [name, open] of Object.entries(rows)) {
    if (!name.includes(wanted)) continue
    await engine.clear()
    const measured = await measure(conversation, await open())
    result[set][name] = measured
    console.error(`ttft: ${set}, ${name}: ${measured.firstToken} ms, ${measured.read} tokens read`)
  }
}
await engine.close()
console.log(json ? JSON.stringify(result, null, 2) : toTable(result))
// llama.cpp leaves a thread behind.
process.exit(0)

/** Asks the engine for the turns from the first full window on. The first one reads everything, and does not count. */
async function measure({ turns: said }, { ask, between, close }) {
  const asked = said.flatMap(({ role }, at) =>
    role === 'user' && said[at + 1]?.role === 'assistant' ? [at] : [],
  )
  let [full, total] = [0, 0]
  while (full < said.length && total <= window) total += cost(said[full++])
  const measured = asked.filter(at => at >= full).slice(0, turns + 1)
  const waits = []
  const reads = []
  for (const at of measured) {
    engine.script.reply = said[at + 1].content
    const ms = await ask(said.slice(0, at + 1).map(({ role, content }) => ({ role, content })))
    waits.push(ms)
    reads.push(engine.reads.findLast(({ isAhead }) => !isAhead))
    await between()
  }
  await close()
  const ms = waits.slice(1)
  const read = reads.slice(1).map(({ evaluated }) => evaluated)
  // A prompt that is shorter than the one before was cut. A longer one may have changed as well: what was recalled is chosen by the message.
  const afterCut = ms.filter((_, at) => reads[at + 1].prompt < reads[at].prompt)
  return {
    turns: ms.length,
    firstToken: round(median(ms)),
    read: median(read),
    mostRead: Math.max(...read),
    longestWait: round(Math.max(...ms)),
    cuts: afterCut.length,
    afterCut: afterCut.length > 0 ? round(median(afterCut)) : 0,
    longestAfterCut: round(Math.max(0, ...afterCut)),
    ahead: engine.reads.filter(({ isAhead }) => isAhead).length,
  }
}

/** The milliseconds until the first token came. */
async function timeOf(url, messages) {
  const began = performance.now()
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-throughline-conversation': 'bench' },
    body: JSON.stringify({ model: 'random', messages, stream: true }),
  })
  let ms
  for await (const chunk of response.body)
    if (Buffer.from(chunk).includes('"content":"')) ms ??= performance.now() - began
  if (ms === undefined) throw new Error(`no token came: ${response.status}`)
  return ms
}

function library(build) {
  return () => ({
    ask: messages =>
      timeOf(
        `${engine.url}/v1/chat/completions`,
        build(messages, window).sent.map(({ role, content }) => ({ role, content })),
      ),
    between: async () => {},
    close: async () => {},
  })
}

/** Ollama keeps the system prompt and drops the oldest messages, one by one, until the rest fits. */
function ollamas(messages, most) {
  const system = messages.filter(({ role }) => role === 'system')
  const rest = messages.filter(({ role }) => role !== 'system')
  let left = most - system.reduce((sum, message) => sum + cost(message), 0)
  let start = rest.length
  while (start > 0 && left >= cost(rest[start - 1])) left -= cost(rest[--start])
  return { sent: [...system, ...rest.slice(start)] }
}

function server({ policy, hasTitles = false, pauseMs = 0 }) {
  return async () => {
    const readAhead = pauseMs > 0 ? 'local' : 'off'
    const flags = [
      '--policy',
      policy,
      '--read-ahead',
      readAhead,
      '--window',
      window,
      '--reserve',
      0,
    ]
    const { url, stop } = await subjects.throughline(engine.url, flags)
    return {
      ask: messages => timeOf(url, messages),
      async between() {
        if (hasTitles) await timeOf(url, title)
        await wait(pauseMs)
      },
      close: stop,
    }
  }
}

function toTable(result) {
  const head = [
    'set',
    'contexts by',
    'first token',
    'sooner',
    'read',
    'most read',
    'longest wait',
    'cuts',
    'after a cut',
    'longest',
    'read ahead',
    'turns',
  ]
  const rows = Object.entries(result).flatMap(([set, byName]) =>
    Object.entries(byName).map(([name, one]) => [
      set,
      name,
      `${one.firstToken} ms`,
      byName['last-N'] ? `×${round(byName['last-N'].firstToken / one.firstToken)}` : '–',
      String(one.read),
      String(one.mostRead),
      `${one.longestWait} ms`,
      String(one.cuts),
      `${one.afterCut} ms`,
      `${one.longestAfterCut} ms`,
      String(one.ahead),
      String(one.turns),
    ]),
  )
  return formatTable([head, ...rows])
}
