// What a proxy adds to a request: the time through it minus the time of the same request straight to the upstream, in
// one run, by turns. Throughline makes durable appends and fits the conversation; the gateway beside it only passes on.
import { Pool } from 'undici'
import { readArgs } from './lib/args.mjs'
import { round } from './lib/stats.mjs'
import { formatTable } from './lib/table.mjs'
import { agentOf } from './proxy/agent.mjs'
import { cpuOf, memoryOf, startUpstream, subjects } from './proxy/subjects.mjs'

const { json } = readArgs()
const requests = 300
const clientCounts = [1, 16]
const streams = 500
const modes = {
  json: { stream: false, turns: 1 },
  stream: { stream: true, turns: 1 },
  'json at turn 1000': { stream: false, turns: 1000 },
  'stream at turn 1000': { stream: true, turns: 1000 },
  // Node compiles what runs often: the figures of a server that has been up for a while.
  'json, warm': { stream: false, turns: 1, warm: 2000 },
  // An agent that sends tools, and with each request the result of the call that the model made in the one before.
  'agent, 41 kB': { stream: false, turns: 1, agent: 41_000 },
  'agent, 87 kB': { stream: false, turns: 1, agent: 87_000 },
}
const say = line => console.error(`proxy: ${line}`)

const upstream = await startUpstream()
const direct = { url: `${upstream.url}/v1/chat/completions`, headers: {} }
const results = {}
try {
  for (const [name, start] of Object.entries(subjects)) {
    results[name] = await measure(name, await start(upstream.url))
  }
} finally {
  await upstream.stop()
}
for (const [name, start] of Object.entries(subjects))
  results[name].streams = await hold(name, start)
console.log(json ? JSON.stringify(results, null, 2) : report())
process.exit(0)

async function measure(name, subject) {
  const found = {}
  try {
    for (const [mode, { warm = 0, ...given }] of Object.entries(modes)) {
      found[mode] = {}
      await warmUp(subject, warm)
      for (const clients of clientCounts) {
        say(`${name}, ${mode}, ${clients} ${clients === 1 ? 'client' : 'clients'}`)
        try {
          found[mode][clients] = await added(subject, { ...given, clients })
        } catch (error) {
          say(`${name} cannot do this: ${error.message}`)
          delete found[mode]
          break
        }
      }
    }
  } finally {
    await subject.stop()
  }
  return found
}

async function warmUp(subject, times) {
  const way = wayTo(subject)
  for (let n = 0; n < times; n++)
    await way.send({ messages: conversation(1, `${Math.random()}`).next() }, false)
  await way.close()
}

/**
 * The percentiles of the time through the subject, less the median of the direct time, and the CPU time that a request
 * takes in the subject's process.
 */
async function added(subject, { stream, turns, agent, clients }) {
  const times = { direct: [], through: [] }
  const each = Math.ceil(requests / clients)
  const talks = Array.from({ length: clients }, (_, client) =>
    talkOf(`${turns} ${clients} ${client} ${Math.random()}`),
  )
  /** Each request in its turn, straight and through the subject. */
  const run = (first, end) =>
    Promise.all(
      talks.map(async talk => {
        const ways = { direct: wayTo(direct), through: wayTo(subject) }
        for (let n = first; n < end; n++) {
          const body = talk()
          for (const [name, way] of Object.entries(ways)) {
            const began = performance.now()
            await way.send(body, stream)
            times[name].push(performance.now() - began)
          }
        }
        for (const way of Object.values(ways)) await way.close()
      }),
    )
  // The first ones warm the process up.
  await run(0, Math.ceil(each / 10) + 1)
  for (const name of Object.keys(times)) times[name] = []
  const before = cpuOf(subject.pid)
  await run(0, each)
  const cpu = (cpuOf(subject.pid) - before) / times.through.length
  const base = percentile(times.direct, 0.5)
  const over = at => round(percentile(times.through, at) - base)
  return { p50: over(0.5), p99: over(0.99), cpu: round(cpu), direct: round(base) }

  function talkOf(seed) {
    if (agent) return agentOf(agent, seed)
    const talk = conversation(turns, seed)
    return () => ({
      messages: turns === 1 ? conversation(1, `${Math.random()}`).next() : talk.next(),
    })
  }
}

function wayTo({ url, headers }) {
  const { origin, pathname } = new URL(url)
  const pool = new Pool(origin, { connections: 1, pipelining: 1 })
  return {
    async send(given, stream) {
      const { statusCode, body } = await pool.request({
        path: pathname,
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ model: 'bench', stream, ...given }),
      })
      const text = await body.text()
      if (statusCode !== 200 || !text.includes(stream ? '[DONE]' : 'word19'))
        throw new Error(`${url} answered ${statusCode}: ${text.slice(0, 300)}`)
    },
    close: () => pool.close(),
  }
}

/** A client that sends everything each time, and its conversation has had some turns already. */
function conversation(turns, seed) {
  const reply = {
    role: 'assistant',
    content: Array.from({ length: 20 }, (_, n) => `word${n} `).join(''),
  }
  const ask = n => ({
    role: 'user',
    content: `Question ${n} of ${seed}: what about the harbour, the boats and the weather?`,
  })
  const messages = []
  for (let n = 1; n < turns; n++) messages.push(ask(n), reply)
  let turn = turns
  return {
    next() {
      messages.push(ask(turn++))
      const body = [...messages]
      messages.push(reply)
      return body
    },
  }
}

/** Many streams at once: how many came to their end, and the memory of the process meanwhile. */
async function hold(name, start) {
  say(`${name}, ${streams} streams at once`)
  const slow = await startUpstream(5000)
  const subject = await start(slow.url)
  try {
    const before = memoryOf(subject.pid)
    let most = before
    const watch = setInterval(() => {
      most = Math.max(most, memoryOf(subject.pid))
    }, 100)
    const began = performance.now()
    const done = await Promise.allSettled(
      Array.from({ length: streams }, async (_, n) => {
        const way = wayTo(subject)
        await way.send({ messages: conversation(1, `stream ${n}`).next() }, true)
        await way.close()
      }),
    )
    clearInterval(watch)
    const whole = done.filter(({ status }) => status === 'fulfilled').length
    const seconds = (performance.now() - began) / 1000
    return {
      asked: streams,
      whole,
      seconds: round(seconds),
      mbBefore: round(before),
      mbMost: round(most),
    }
  } finally {
    await subject.stop()
    await slow.stop()
  }
}

function percentile(values, at) {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * at))]
}

function report() {
  const lines = [
    [
      'subject',
      'mode',
      ...clientCounts.flatMap(n => [`p50 at ${n}`, `p99 at ${n}`, `CPU at ${n}`]),
    ],
  ]
  for (const [name, { streams: _, ...found }] of Object.entries(results))
    for (const [mode, by] of Object.entries(found))
      lines.push([
        name,
        mode,
        ...clientCounts.flatMap(n => [by[n].p50, by[n].p99, by[n].cpu].map(ms => `${ms} ms`)),
      ])
  const held = Object.entries(results).map(
    ([name, { streams: s }]) =>
      `${name}: ${s.whole} of ${s.asked} streams whole, ${s.mbBefore} → ${s.mbMost} MB`,
  )
  return [formatTable(lines), '', ...held].join('\n')
}
