import pg from 'pg'
import { it } from 'vitest'
import { startPostgres } from '../../../test/postgres.ts'
import { postgresStore } from './postgres-store.ts'
import { wordHashes } from './word-hashes.ts'

const vocabulary = Array.from({ length: 5000 }, (_, n) => 'w' + ((n * 7919) % 100003).toString(36))
const zipf = () => vocabulary[Math.floor(5000 ** Math.random()) - 1]
const text = (_: number) => Array.from({ length: 80 }, zipf).join(' ')
it('bench', async () => {
  const server = await startPostgres()
  const store = postgresStore({ url: server.url })
  await store.migrate()
  const thread = { tenant: 't1', conversation: 'conversation-0001', actor: 'assistant', branch: 'main' }
  const client = new pg.Client(server.url)
  await client.connect()
  const entry = (n: number) => ({ id: crypto.randomUUID(), role: 'user' as const, time: Date.now(), tokens: { o200k: 80 }, payload: JSON.stringify({ role: 'user', content: text(n) }) })
  const begun = await store.begin(thread, { owner: 'a', leaseMs: 600000, entries: [entry(0)] })
  if (begun.kind !== 'begun') throw 0
  let head = begun.head
  const run = async (what: string) => {
    const N = 1500
    for (let k = 0; k < 2; k++) {
    let t = performance.now()
    for (let n = 0; n < N; n++) head = (await store.append(thread, { lease: begun.lease, expectedHead: head, entries: [entry(n)] })).head
    console.log(what, Math.round(N / (performance.now() - t) * 1000))
    }
  }
  await run('as is')
  let t = performance.now(); for (let n = 0; n < 1000; n++) wordHashes('t1', entry(n).payload); console.log('hash us', performance.now() - t)
  await client.query('set synchronous_commit = off')
  await client.query('alter database postgres set synchronous_commit = on')
  await client.query('drop index throughline.entries_words')
  await run('no gin')
  await client.query('drop index if exists throughline.nothing')
  const q = async (sql: string) => { const t = performance.now(); for (let n = 0; n < 500; n++) await client.query(sql); console.log(sql, ((performance.now() - t) / 500).toFixed(3), 'ms') }
  await q('select 1')
  await q("select throughline.now_ms()")
  await q("select throughline.has_all(b, '[]') from throughline.branches b")
  await q("select throughline.has_all(b, '[{\"id\":\"x\"}]') from throughline.branches b")
  await q("begin; select throughline.put_entries(b, 1, '[]') from throughline.branches b; rollback")
  await q("begin; select throughline.put_entries(b, 1, '[{\"id\":\"x\",\"role\":\"user\",\"time\":1,\"tokens\":\"\",\"payload\":\"\"}]') from throughline.branches b; rollback")
  await q(`select throughline.append_entries('t1','conversation-0001','assistant','main','a',1,${head},'[]',null,null)`)
  await q("begin; update throughline.branches set updated_at = updated_at; rollback")
  await q("update throughline.branches set updated_at = updated_at")
  const rows = 10000
  for (let n = 0; n < rows / 500; n++) head = (await store.append(thread, { lease: begun.lease, expectedHead: head, entries: Array.from({ length: 500 }, (_, k) => entry(k)) })).head
  await client.query('create index entries_words on throughline.entries using gin (words)')
  const size = async (what: string) => Number((await client.query(`select ${what} as n`)).rows[0].n)
  console.log('gin built', await size("pg_relation_size('throughline.entries_words')") / head)
  await client.query('drop index throughline.entries_words')
  await client.query('create index entries_words on throughline.entries using gin (words)')
  console.log('avg words', (await client.query('select avg(cardinality(words)) from throughline.entries')).rows, 'payload', (await client.query('select avg(octet_length(payload)), avg(pg_column_size(e.*)) from throughline.entries e')).rows)
  for (let n = 0; n < rows / 500; n++) head = (await store.append(thread, { lease: begun.lease, expectedHead: head, entries: Array.from({ length: 500 }, (_, k) => entry(k)) })).head
  console.log('gin grown', await size("pg_relation_size('throughline.entries_words')") / head)
  for (const w of ["pg_total_relation_size('throughline.entries')", "pg_table_size('throughline.entries')", "pg_relation_size('throughline.entries_pkey')", "pg_relation_size('throughline.entries_tenant_conversation_line_id_key')"]) console.log(w, Math.round(await size(w) / head))
  await client.end(); await store.close(); await server.stop()
}, 300000)
