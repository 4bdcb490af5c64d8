// How far one log goes: the reads that concern many conversations, at 1,000 to 1,000,000 conversations of ten entries in PostgreSQL,
// or in Citus. For each the time, the blocks that its plan looked at, and the tables that it read from end to end.
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { createHistory } from '../dist/history/index.js'
import { postgresStore } from '../dist/stores/postgres/postgres-store.js'
import { bigTenant, fill, perPerson, words, yearMs } from './far/fill.mjs'
import { explain, watchedPool } from './far/watch.mjs'
import { readArgs } from './lib/args.mjs'
import { median, round } from './lib/stats.mjs'
import { formatMs, formatTable } from './lib/table.mjs'

const args = readArgs({
  /** The address of a database with room for some 8 GB; its schema is made, and dropped afterwards. */
  store: { type: 'string' },
  conversations: { type: 'string', default: '1000,100000,1000000' },
  distribute: { type: 'string' },
  /** A schema of an earlier run to measure again, filled up to the first number of conversations; it stays. */
  schema: { type: 'string' },
  keep: { type: 'boolean', default: false },
  /** A file for all plans. */
  plans: { type: 'string' },
})
if (!args.store) {
  console.error('bench: say where: --store postgres://user@host/database')
  process.exit(2)
}
const sizes = args.conversations.split(',').map(Number)
const schema = args.schema ?? `far_${randomBytes(4).toString('hex')}`
const watched = watchedPool(args.store)
const store = postgresStore({
  pool: watched.pool,
  schema,
  ...(args.distribute && { distribute: args.distribute }),
})
const history = createHistory({ store, tenant: bigTenant })
const say = line => console.error(`far: ${line}`)
const now = Date.now()
const results = []
const plans = {}

try {
  say(`schema ${schema}`)
  await timed('migrate', () => store.migrate())
  let filled = args.schema ? sizes[0] : 0
  for (const size of sizes) {
    if (size > filled)
      await timed(`${size} conversations`, () =>
        fill(watched.query, schema, { from: filled, to: size, now }),
      )
    filled = size
    await timed('vacuum', () => watched.query('vacuum analyze'))
    await measure(size)
  }
} finally {
  if (!args.keep && !args.schema) await watched.query(`drop schema if exists ${schema} cascade`)
  await store.close()
  await watched.end()
}
if (args.plans) writeFileSync(args.plans, JSON.stringify(plans, null, 1))
console.log(args.json ? JSON.stringify(results, null, 2) : report())

async function measure(size) {
  const thread = {
    tenant: bigTenant,
    conversation: `real-${size}`,
    actor: 'assistant',
    branch: 'main',
  }
  await history.thread(thread.conversation).seed({ role: 'user', content: 'Is anybody there?' })
  const [{ time }] = await watched.query(
    `select updated_at as time from ${schema}.branches where updated_at <= $1
    order by updated_at desc limit 1`,
    [now - yearMs / 2],
  )
  const half = Math.floor(size / 4) * 2
  const limit = 50
  const list = options => () => store.conversations(bigTenant, { limit, ...options })
  const person = `person-${Math.floor(half / perPerson)}`
  const marks = [1, 3, 5, 7].map(seq => `m-${half}-${seq + 2}`)
  const find = (word, options) => () => store.findWords(bigTenant, [[word]], options)
  const reads = {
    'list: the newest 50': list(),
    'list: 50 of half a year ago': list({ after: { conversation: '', updatedAt: time } }),
    'list by name: 50 from the middle': list({
      order: 'name',
      after: { conversation: `talk-${half}`, updatedAt: 0 },
    }),
    'list: the newest 50 of a person': list({ person }),
    'one conversation': list({ only: `talk-${half}` }),
    'place: of a named conversation': () => newest(thread),
    'place: by 4 marks': () => store.findMarks(bigTenant, marks),
    'place: by a mark that every conversation has': () => store.findMarks(bigTenant, ['hello']),
    ...Object.fromEntries(
      Object.entries(words).map(([name, word]) => [`search: ${name}`, find(word)]),
    ),
    'search: a word of every second entry, of a person': find(Object.values(words)[0], { person }),
    tenants: () => store.tenants(),
    'retention: nothing is due': () =>
      history.retain({ conversationsMs: 2 * yearMs, callsMs: 2 * yearMs }),
  }
  for (const [name, read] of Object.entries(reads)) await note(size, name, read)
  const gone = `person-${Math.floor(half / perPerson) + 1}`
  await note(
    size,
    `delete: a person with ${perPerson / 2} conversations`,
    () => history.deleteAll({ person: gone }),
    1,
  )
  const [bytes] = await watched.query(
    `select sum(pg_total_relation_size(oid))::float8 as bytes from pg_class
      where relnamespace = $1::regnamespace and relkind = 'r'`,
    [schema],
  )
  results.push({ size, name: 'bytes', bytes: bytes.bytes })
}

async function newest(thread) {
  await store.head(thread)
  for await (const _ of store.entries(thread, { reverse: true, limit: 10 }));
}

async function note(size, name, work, most = 5) {
  const first = performance.now()
  const statements = await watched.watch(work)
  // What can be done only once is timed with what the first time costs.
  const times = most > 1 ? [] : [performance.now() - first]
  const deadline = performance.now() + 20_000
  while (times.length < most && performance.now() < deadline) {
    const began = performance.now()
    await work()
    times.push(performance.now() - began)
  }
  const ms = median(times)
  const { plans: some, ...looked } = await explain(watched, statements)
  plans[`${size} ${name}`] = some
  results.push({
    size,
    name,
    ms: round(ms),
    statements: statements.length,
    ...looked,
  })
  say(`${size} ${name}: ${JSON.stringify(results.at(-1))}`)
}

async function timed(what, work) {
  const began = performance.now()
  await work()
  say(`${what}: ${formatMs(performance.now() - began)}`)
}

function report() {
  const names = [...new Set(results.map(({ name }) => name))].filter(name => name !== 'bytes')
  const cell = (name, size) => {
    const one = results.find(result => result.name === name && result.size === size)
    return `${formatMs(one.ms)}, ${one.blocks}${one.scanned.length ? ` (all of ${one.scanned.join(', ')})` : ''}`
  }
  const head = ['', ...sizes.map(size => size.toLocaleString('en'))]
  return formatTable([head, ...names.map(name => [name, ...sizes.map(size => cell(name, size))])])
}
