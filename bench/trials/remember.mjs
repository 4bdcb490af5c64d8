// What a person's other conversations cost: 1,000 of 100 messages, made of public ones. CPU time of this process and the whole time of
// `begin`, with and without `remember: 'person'`, also with nothing of the others in memory, and of the first one after a restart.
//
//   node bench/trials/remember.mjs --data DIR [--conversations 1000] [--store postgres]
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createHistory } from '../.build/history/index.js'
import { postgresStore } from '../.build/stores/postgres/postgres-store.js'
import { sqliteStore } from '../.build/stores/sqlite/sqlite-store.js'
import { loadSets } from '../lib/conversations.mjs'
import { startPostgres } from '../storage/postgres-server.mjs'

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    conversations: { type: 'string', default: '1000' },
    store: { type: 'string', default: 'sqlite' },
  },
})
const size = Number(values.conversations)
const sets = Object.values(loadSets(values.data)).flat()
const turns = sets.flatMap(({ turns }) => turns)
const questions = sets.flatMap(({ questions }) => questions).map(({ text }) => text)
const folder = mkdtempSync(join(tmpdir(), 'throughline-remember-'))
const server = values.store === 'postgres' ? await startPostgres() : undefined
const openStore = () =>
  server ? postgresStore({ url: server.url }) : sqliteStore({ path: join(folder, 'log.db') })

let store = openStore()
const open = remember => createHistory({ store, person: 'one', remember, window: 4096 })
let history = open('person')
for (let n = 0; n < size; n++) {
  const messages = Array.from({ length: 100 }, (_, at) => {
    const { role, content } = turns[(n * 100 + at) % turns.length]
    return { role, content, time: Date.UTC(2024, 0, 1) + n * 86_400_000 + at * 60_000 }
  })
  await history.thread(`past ${n}`).seedTurns(messages)
}
console.log(`${size} conversations of 100 messages are written`)

/** As a server has them: opened once. `fresh` has a new one for each message, so that nothing is in memory. */
const histories = { person: open('person'), conversation: open('conversation') }

const median = list => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]

async function cost(history, name, text) {
  const thread = history.thread(name)
  const before = process.cpuUsage()
  const from = performance.now()
  const { turn } = await thread.begin({ role: 'user', content: text })
  const { user, system } = process.cpuUsage(before)
  const ms = performance.now() - from
  const [entry] = await thread.entries({ limit: 1 })
  await turn.complete({ role: 'assistant', content: 'Noted.' })
  return { cpu: (user + system) / 1000, ms, quotes: entry.quotes?.length ?? 0 }
}

for (const [kind, texts] of [
  ['questions', questions.filter((_, at) => at % 37 === 0).slice(0, 60)],
  [
    'messages',
    turns
      .filter(({ role }, at) => role === 'user' && at % 97 === 0)
      .slice(0, 60)
      .map(one => one.content),
  ],
]) {
  const rows = { person: [], conversation: [], fresh: [] }
  for (const [at, text] of texts.entries())
    for (const way of Object.keys(rows))
      rows[way].push(await cost(histories[way] ?? open('person'), `${kind} ${way} ${at}`, text))
  const [more, fresh] = ['person', 'fresh'].map(way =>
    ['cpu', 'ms'].map(what =>
      (
        median(rows[way].map(one => one[what])) - median(rows.conversation.map(one => one[what]))
      ).toFixed(1),
    ),
  )
  const share = rows.person.filter(({ quotes }) => quotes > 0).length / texts.length
  console.log(
    `${kind}: ${more[0]} ms of CPU more (${more[1]} ms in all), ${fresh[0]} (${fresh[1]}) with nothing in memory; ${(100 * share).toFixed(0)} % bring something back`,
  )
}
const used = process.memoryUsage().rss / 2 ** 20
await store.close()
store = openStore()
history = open('person')
const { ms } = await cost(history, 'after a restart', questions[0])
console.log(
  `first message after a restart: ${ms.toFixed(0)} ms; ${used.toFixed(0)} MB of memory in all`,
)
await store.close()
await server?.stop()
rmSync(folder, { recursive: true })
