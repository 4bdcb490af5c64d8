import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { loadDriver } from '../.build/stores/sqlite/driver.js'
import { createFolder, createSchema } from './places.mjs'

/** The raw drivers: one INSERT in one transaction, with the same payloads as our log. */
export const rawSqlite = turns => ({
  name: 'raw sqlite driver',
  turns,
  createPlace: createFolder,
  async open({ path }) {
    const Database = loadDriver()
    const database = new Database(path)
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE IF NOT EXISTS entries (
      branch INTEGER, seq INTEGER, id TEXT, time INTEGER, payload TEXT, PRIMARY KEY (branch, seq)) WITHOUT ROWID`)
    const statement = database.prepare('INSERT INTO entries VALUES (1, ?, ?, ?, ?)')
    const count = () => database.prepare('SELECT count(*) AS count FROM entries').get().count
    let seq = count()
    const insert = async ({ id, time, payload }) => void statement.run(++seq, id, time, payload)
    return session(insert, { count: async () => count(), close: async () => database.close() })
  },
})

export const rawPostgres = (server, turns) => ({
  name: 'raw postgres driver',
  needsServer: true,
  turns,
  createPlace: () => createSchema(server),
  async open({ url, schema }) {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query(`create schema if not exists ${schema}; create table if not exists ${schema}.entries (
      branch integer, seq integer, id text, time double precision, payload text, primary key (branch, seq))`)
    const count = async () =>
      Number((await client.query(`select count(*) as count from ${schema}.entries`)).rows[0].count)
    let seq = await count()
    const text = `insert into ${schema}.entries values (1, $1, $2, $3, $4)`
    const insert = ({ id, time, payload }) =>
      client.query({ name: 'insert', text, values: [++seq, id, time, payload] })
    return session(insert, { count, close: () => client.end() })
  },
})

function session(insert, rest) {
  return {
    async take({ user, reply }) {
      await insert(toRow('user', user))
      await insert(toRow('assistant', reply))
    },
    startAppending: async () => insert,
    ...rest,
  }
}

/** A message as it stands in the log. */
export function toRow(role, content) {
  return {
    id: randomUUID(),
    time: Date.now(),
    payload: JSON.stringify({ message: { role, content } }),
  }
}
