// Which conversation was it? Every session of LoCoMo is a conversation of its own, and each question ranks them: plain BM25, and
// `history.search`. Then what a search costs, in a small log and in a large one.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHistory } from '../dist/history/index.js'
import { postgresStore } from '../dist/stores/postgres/postgres-store.js'
import { sqliteStore } from '../dist/stores/sqlite/sqlite-store.js'
import { readArgs } from './lib/args.mjs'
import { bm25, toTerms } from './lib/bm25.mjs'
import { loadSets } from './lib/conversations.mjs'
import { sessionsOf } from './lib/sessions.mjs'
import { formatTable } from './lib/table.mjs'
import { startPostgres } from './storage/postgres-server.mjs'

const { json, data, sizes, stores } = readArgs({
  sizes: { type: 'string', default: '400,100000' },
  stores: { type: 'string', default: 'sqlite,postgres' },
})
const sets = loadSets(data)
const [ranked, undated] = [await rankSessions(true), await rankSessions(false)]
const costs = []
// One server for all sizes, with a schema for each.
const server = stores.includes('postgres') ? await startPostgres() : undefined
for (const store of stores.split(',').filter(Boolean))
  for (const size of sizes.split(',').map(Number)) costs.push(await measureCost(store, size))
await server?.stop()
console.log(
  json
    ? JSON.stringify({ ranked, undated, costs }, null, 2)
    : [rankTable(ranked, ''), rankTable(undated, ', no dates'), costTable(costs)].join('\n\n'),
)

/** Ranks the sessions of each conversation by themselves: those of others are not among them. */
async function rankSessions(hasLines) {
  const results = {
    'plain BM25': newSums(),
    'history.search': newSums(),
    'history.search, 20 messages': newSums(),
  }
  for (const { turns: untimed, questions } of sets.locomo ?? []) {
    const sessions = sessionsOf(untimed)
    const turns = atTheirTimes(untimed, hasLines)
    const plain = plainRanking(turns, sessions)
    await withStore('sqlite', 0, async store => {
      const history = createHistory({ store })
      for (const [number, { from, to }] of sessions.entries())
        await history.thread(String(number)).seedTurns(turns.slice(from, to))
      const search = limit => async text =>
        (await history.search(text, { limit })).map(({ thread }) => Number(thread.conversation))
      const rankings = [plain, search(100), search(20)]
      for (const { text, evidence } of questions) {
        const wanted = evidence.map(place => sessions.findIndex(({ to }) => place < to))
        for (const [at, sums] of Object.values(results).entries()) {
          const before = process.cpuUsage()
          const list = [...new Set(await rankings[at](text))]
          addTo(sums, list, [...new Set(wanted)], cpuSince(before))
        }
      }
    })
  }
  return results
}

/** Messages at the times of their sessions, as any log has them, with the lines that date these (see conversations.mjs) or without. */
function atTheirTimes(turns, hasLines) {
  let [start, first] = [0, 0]
  return turns.map(({ role, content, time }) => {
    const [line, hour, day] = /^\[Session \d+, (\S+ [ap]m) on (.+)\]\n/.exec(content) ?? []
    if (line) [start, first] = [Date.parse(`${day} ${hour} UTC`), time]
    return {
      role,
      content: line && !hasLines ? content.slice(line.length) : content,
      time: start + time - first,
    }
  })
}

/** The score of a session and of its best message, each divided by the best, half each. */
function plainRanking(turns, sessions) {
  const terms = turns.map(({ content }) => toTerms(content))
  const ofSessions = bm25(sessions.map(({ from, to }) => terms.slice(from, to).flat()))
  const ofMessages = bm25(terms)
  const shares = scores => scores.map(score => score / (Math.max(...scores) || 1))
  return text => {
    const query = toTerms(text)
    const messages = ofMessages(query)
    const best = shares(sessions.map(({ from, to }) => Math.max(...messages.slice(from, to))))
    const scores = shares(ofSessions(query)).map((score, at) => score + best[at])
    return scores.map((_, at) => at).sort((a, b) => scores[b] - scores[a])
  }
}

function newSums() {
  return { questions: 0, hit1: 0, hit5: 0, all5: 0, all10: 0, mrr: 0, cpuMs: 0 }
}

function addTo(sums, list, wanted, cpuMs) {
  const places = wanted.map(session =>
    list.includes(session) ? list.indexOf(session) : Number.POSITIVE_INFINITY,
  )
  const [first, last] = [Math.min(...places), Math.max(...places)]
  sums.questions += 1
  sums.hit1 += first < 1 ? 1 : 0
  sums.hit5 += first < 5 ? 1 : 0
  sums.all5 += last < 5 ? 1 : 0
  sums.all10 += last < 10 ? 1 : 0
  sums.mrr += 1 / (first + 1)
  sums.cpuMs += cpuMs
}

/** A log of a size, made of all sets, in conversations of 100 messages; a small one of LoCoMo's sessions. */
async function measureCost(name, size) {
  console.error(`search: ${name}, ${size} messages`)
  const small = sets.locomo?.[0] ?? Object.values(sets)[0][0]
  const turns =
    size < 1000
      ? small.turns
      : Object.values(sets)
          .flat()
          .flatMap(one => one.turns)
  const parts =
    size < 1000
      ? sessionsOf(turns.slice(0, size)).map(({ from, to }) => turns.slice(from, to))
      : Array.from({ length: Math.ceil(size / 100) }, (_, number) => conversation(turns, number))
  const questions = Object.values(sets)
    .flat()
    .flatMap(one => one.questions)
  const texts = (size < 1000 ? small.questions : questions.filter((_, at) => at % 20 === 0)).map(
    ({ text }) => text,
  )
  return withStore(name, size, async store => {
    const history = createHistory({ store })
    for (const [number, part] of parts.entries())
      await history.thread(`past ${number}`).seedTurns(part)
    const sample = texts.slice(0, 100)
    // Twice: the first time warms up, and indexes what waits.
    for (const text of sample) await history.search(text)
    const runs = []
    for (const text of sample) {
      const before = process.cpuUsage()
      const from = performance.now()
      await history.search(text)
      runs.push({ cpu: cpuSince(before), ms: performance.now() - from })
    }
    const median = of => runs.map(of).toSorted((a, b) => a - b)[Math.floor(runs.length / 2)]
    const mean = of => runs.reduce((sum, run) => sum + of(run), 0) / runs.length
    return {
      store: name,
      size,
      cpuMs: mean(run => run.cpu),
      medianMs: median(run => run.ms),
      meanMs: mean(run => run.ms),
    }
  })
}

function conversation(turns, number) {
  return Array.from({ length: 100 }, (_, at) => {
    const { role, content } = turns[(number * 100 + at) % turns.length]
    return { role, content, time: Date.UTC(2024, 0, 1) + number * 86_400_000 + at * 60_000 }
  })
}

async function withStore(name, size, work) {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-search-'))
  const store =
    name === 'postgres'
      ? postgresStore({ url: server.url, schema: `search_${size}` })
      : sqliteStore({ path: join(folder, 'log.db') })
  try {
    return await work(store)
  } finally {
    await store.close()
    rmSync(folder, { recursive: true })
  }
}

function cpuSince(before) {
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

function rankTable(results, what) {
  const rows = Object.entries(results).map(
    ([name, { questions, hit1, hit5, all5, all10, mrr, cpuMs }]) => [
      name,
      ...[hit1, hit5, all5, all10].map(sum => ((100 * sum) / questions).toFixed(1)),
      (mrr / questions).toFixed(3),
      (cpuMs / questions).toFixed(1),
    ],
  )
  const { questions } = results['plain BM25']
  return formatTable([
    [
      `LoCoMo (${questions} questions${what})`,
      'hit@1',
      'hit@5',
      'all@5',
      'all@10',
      'MRR',
      'CPU ms',
    ],
    ...rows,
  ])
}

function costTable(costs) {
  const rows = costs.map(({ store, size, cpuMs, medianMs, meanMs }) => [
    `${store}, ${size} messages`,
    ...[cpuMs, medianMs, meanMs].map(ms => ms.toFixed(1)),
  ])
  return formatTable([['one search', 'CPU ms', 'ms in all, median', 'mean'], ...rows])
}
