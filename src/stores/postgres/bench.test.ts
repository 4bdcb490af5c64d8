import pg from 'pg'
import { it } from 'vitest'
import { startPostgres } from '../../../test/postgres.ts'
import { postgresStore } from './postgres-store.ts'

const vocabulary = Array.from({ length: 5000 }, (_, n) => 'w' + ((n * 7919) % 100003).toString(36))
const text = (n: number) => Array.from({ length: 80 }, (_, k) => vocabulary[(n * 31 + k * k * 17) % 5000]).join(' ')
it('bench', async () => {
  const server = await startPostgres()
  const store = postgresStore({ url: server.url })
  await store.migrate()
  const thread = { tenant: 't1', conversation: 'conversation-0001', actor: 'assistant', branch: 'main' }
  const client = new pg.Client(server.url)
  await client.connect()
  await client.query('create table raw (tenant text, conversation text, line int, seq int, id text, role text, time float8, tokens text, payload text, primary key (tenant, conversation, line, seq))')
  const N = 2000
  const entry = (n: number) => ({ id: crypto.randomUUID(), role: 'user' as const, time: Date.now(), tokens: { o200k: 80 }, payload: JSON.stringify({ role: 'user', content: text(n) }) })
  const begun = await store.begin(thread, { owner: 'a', leaseMs: 600000, entries: [entry(0)] })
  if (begun.kind !== 'begun') throw 0
  let head = begun.head
  for (let round = 0; round < 3; round++) {
    let t = performance.now()
    for (let n = 0; n < N; n++) head = (await store.append(thread, { lease: begun.lease, expectedHead: head, entries: [entry(n)] })).head
    let s = (performance.now() - t) / 1000
    console.log('store appends/s', Math.round(N / s))
    t = performance.now()
    for (let n = 0; n < N; n++) { const e = entry(n); await client.query('insert into raw values ($1,$2,$3,$4,$5,$6,$7,$8,$9)', ['t1', 'c1', 1, round * N + n, e.id, e.role, e.time, JSON.stringify(e.tokens), e.payload]) }
    s = (performance.now() - t) / 1000
    console.log('raw inserts/s', Math.round(N / s))
  }
  const size = async (what: string) => Number((await client.query(`select ${what} as n`)).rows[0].n)
  await client.query('vacuum analyze throughline.entries')
  console.log('payload bytes', JSON.stringify({ role: 'user', content: text(5) }).length, 'rows', head)
  for (const w of ["pg_total_relation_size('throughline.entries')", "pg_table_size('throughline.entries')", "pg_relation_size('throughline.entries_pkey')", "pg_relation_size('throughline.entries_words')", "pg_relation_size('throughline.entries_tenant_conversation_line_id_key')", "pg_total_relation_size('raw')"]) console.log(w, Math.round(await size(w) / head))
  console.log('turn: begin+append+end')
  let t = performance.now()
  await store.end(thread, { lease: begun.lease, expectedHead: head, entries: [], status: 'completed' })
  for (let n = 0; n < 500; n++) { const b = await store.begin(thread, { owner: 'a', leaseMs: 1000, entries: [entry(n)] }) as any; await store.end(thread, { lease: b.lease, expectedHead: b.head, entries: [entry(n)], status: 'completed' }) }
  console.log('turns/s', Math.round(500 / ((performance.now() - t) / 1000)))
  t = performance.now()
  let c = 0
  for await (const _ of store.entries(thread)) c++
  console.log('read/s', Math.round(c / ((performance.now() - t) / 1000)))
  // 8 writers on 8 threads
  t = performance.now()
  await Promise.all(Array.from({ length: 8 }, async (_, w) => {
    const th = { ...thread, conversation: 'c' + w }
    const b = await store.begin(th, { owner: 'a', leaseMs: 600000, entries: [entry(0)] }) as any
    let h = b.head
    for (let n = 0; n < 500; n++) h = (await store.append(th, { lease: b.lease, expectedHead: h, entries: [entry(n)] })).head
  }))
  console.log('8 writers appends/s', Math.round(4000 / ((performance.now() - t) / 1000)))
  t = performance.now(); const f = await store.search('t1', vocabulary[17]!); console.log('search ms', performance.now() - t, f.length)
  await client.end(); await store.close(); await server.stop()
}, 300000)
