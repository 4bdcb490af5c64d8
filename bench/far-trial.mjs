// Many conversations at once through several servers on one log, for some minutes, while the database and a server are stopped and
// started: how long the answers take, what it costs, and whether every answer that a client has read is in the log.
import { exec } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'
import { postgresStore } from '../dist/stores/postgres/postgres-store.js'
import { converse } from './far/trial-client.mjs'
import { compare, costOf, databaseCpu } from './far/trial-report.mjs'
import { startEcho, startTrialServer } from './far/trial-server.mjs'
import { readArgs } from './lib/args.mjs'

const args = readArgs({
  /** The address of the log for the servers: that of a pooler, if there is one. */
  store: { type: 'string' },
  /** The address of the database itself, for what it tells about its tables. Default: --store. */
  database: { type: 'string' },
  distribute: { type: 'string' },
  conversations: { type: 'string', default: '1000' },
  servers: { type: 'string', default: '2' },
  minutes: { type: 'string', default: '1' },
  /** Seconds between an answer and the next message, about. */
  pause: { type: 'string', default: '30' },
  /** SECONDS:COMMAND, run by the shell; SECONDS:crash kills the first server and starts it again. May be repeated. */
  event: { type: 'string', multiple: true, default: [] },
  /** The process id of a database server whose CPU time is counted. May be repeated. */
  watch: { type: 'string', multiple: true, default: [] },
})
if (!args.store) {
  console.error('bench: say where: --store postgres://user@host/database')
  process.exit(2)
}
const { store: db, database = db, distribute } = args
const seconds = Number(args.minutes) * 60
const say = line => console.error(`far-trial: ${line}`)
const notes = []
const prefix = `trial-${Date.now().toString(36)}`

const upstream = await startEcho(200)
const flags = [
  '--db',
  db,
  '--upstream',
  upstream.url,
  '--upstream-kind',
  'openai',
  '--log-level',
  'error',
]
if (distribute) flags.push('--distribute', distribute)
const servers = []
try {
  for (let n = 0; n < Number(args.servers); n++) servers.push(await startTrialServer(flags))
  const cpuBefore = databaseCpu(args.watch)
  const began = Date.now()
  const until = began + seconds * 1000
  const watching = setInterval(() => {
    for (const server of servers) server.look()
  }, 1_000)
  const telling = setInterval(() => {
    const lately = notes.filter(({ at }) => at > Date.now() - 15_000)
    const { answered, problems } = costOf(lately, 15)
    say(
      `${Math.round((Date.now() - began) / 1000)} s: ${answered} answered in 15 s, ${JSON.stringify(problems)}`,
    )
  }, 15_000)
  const events = args.event.map(event => happen(event, began))
  const names = Array.from({ length: Number(args.conversations) }, (_, n) => `${prefix}-${n}`)
  const talks = await Promise.all(
    names.map(name =>
      converse(name, { servers, until, pauseMs: Number(args.pause) * 1000, notes }),
    ),
  )
  await Promise.all(events)
  clearInterval(watching)
  clearInterval(telling)
  const took = (Date.now() - began) / 1000
  const cpu = databaseCpu(args.watch) - cpuBefore
  for (const server of servers) await server.stop()
  const store = postgresStore({ url: database })
  say('comparing')
  const kept = await compare(store, new Map(names.map((name, at) => [name, talks[at]])))
  await store.close()
  const result = {
    conversations: names.length,
    ...costOf(notes, took),
    databaseCpuSeconds: Math.round(cpu),
    servers: servers.map(server => server.used()),
    ...kept,
    tables: await tablesOf(),
  }
  console.log(JSON.stringify(result, null, 2))
  process.exitCode = kept.lost + kept.twice > 0 ? 1 : 0
} finally {
  for (const server of servers) await server.stop()
  await upstream.stop()
}

async function happen(event, began) {
  const at = event.indexOf(':')
  const command = event.slice(at + 1)
  await wait(Math.max(0, began + Number(event.slice(0, at)) * 1000 - Date.now()))
  say(`now: ${command}`)
  if (command === 'crash') await servers[0].crash()
  else
    await new Promise(done =>
      exec(command, { shell: '/bin/bash' }, (error, _, said) => {
        if (error) say(`failed: ${said}`)
        done()
      }),
    )
  say(`done: ${command}`)
}

/** Sizes, and rows that are dead but not cleared away yet. Of Citus the sums of all machines. */
async function tablesOf() {
  const { default: pg } = await import('pg')
  const client = new pg.Client({ connectionString: database })
  await client.connect()
  const own = `select regexp_replace(relname, '_[0-9]+$', '') as name, sum(n_live_tup)::float8 as live, sum(n_dead_tup)::float8 as dead,
      sum(pg_total_relation_size(relid))::float8 / 1e6 as mb, sum(autovacuum_count)::float8 as vacuums
    from pg_stat_user_tables where schemaname = 'throughline' group by 1 having sum(n_live_tup + n_dead_tup) > 0 order by 4 desc`
  const everywhere = `select * from run_command_on_workers($$select json_agg(t) from (${own}) t$$)`
  try {
    const { rows } = await client.query(distribute ? everywhere : own)
    return rows
  } finally {
    await client.end()
  }
}
