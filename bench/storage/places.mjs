import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { loadDriver } from '../.build/stores/sqlite/driver.js'

let home
let places = 0

/** The folder for all files; removed when the program ends, however it ends. */
export function homeFolder() {
  if (home) return home
  // A socket path has at most 107 bytes, and the temporary folder of macOS is long.
  home = mkdtempSync(join(tmpdir().length < 60 ? tmpdir() : '/tmp', 'throughline-bench-'))
  process.on('exit', () => rmSync(home, { recursive: true, force: true, maxRetries: 5 }))
  return home
}

/** A fresh folder for a database file. Its size is that of all files that stay when nobody has the database open. */
export function createFolder() {
  const folder = join(homeFolder(), `files-${places++}`)
  const path = join(folder, 'bench.db')
  mkdirSync(folder)
  return {
    path,
    async size() {
      foldLog(path)
      const files = readdirSync(folder).filter(file => !file.endsWith('-shm'))
      return { bytes: files.reduce((sum, file) => sum + statSync(join(folder, file)).size, 0) }
    },
    remove: async () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** A driver may keep a closed file open until its statements are collected; then the write-ahead log is still there. */
function foldLog(path) {
  const Database = loadDriver()
  const database = new Database(path)
  const { busy } = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()
  database.close()
  if (busy) throw new Error('the database is still in use: its size cannot be told')
}

/** A fresh schema of a PostgreSQL server. */
export function createSchema({ url }) {
  const schema = `bench_${places++}`
  return {
    url,
    schema,
    size: () => withClient(url, client => sizeOf(client, schema)),
    remove: () =>
      withClient(url, client => client.query(`drop schema if exists ${schema} cascade`)),
  }
}

export async function withClient(url, run) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await run(client)
  } finally {
    await client.end()
  }
}

/**
 * The files of all tables and indexes after a checkpoint, with whatever dead rows are in them: no VACUUM but what the
 * server does by itself. The server's own log is not in it. `search` is the part that only serves search.
 */
async function sizeOf(client, schema) {
  await client
    .query('checkpoint')
    .catch(() => console.error('bench: no right to checkpoint, sizes may lag'))
  const one = async (sql, ...values) => Number((await client.query(sql, values)).rows[0].value ?? 0)
  const bytes = await one(
    `select sum(pg_total_relation_size(oid)) as value from pg_class
     where relnamespace = $1::regnamespace and relkind in ('r', 'm')`,
    schema,
  )
  const search = await one(
    `select sum(pg_total_relation_size(oid)) as value from pg_class
     where relnamespace = $1::regnamespace and relname = 'words'`,
    schema,
  )
  return { bytes, search }
}
