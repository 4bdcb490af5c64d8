import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { postgresStore } from '@throughline/stores/postgres'
import { sqliteStore } from '@throughline/stores/sqlite'
import type { Store } from '@throughline/stores/store'
import { onTestFinished } from 'vitest'
import { openPool, startPostgres, whyNoPostgres } from './postgres.ts'

export interface RawStore {
  readonly store: Store
  /** Where the store has a word: files of SQLite, tables of PostgreSQL. */
  readonly placesOf: (word: string) => Promise<readonly string[]>
}

/** A new store of each database that can be had here, with a look at its raw data. */
export function rawStores(): readonly (readonly [name: string, open: () => Promise<RawStore>])[] {
  const reason = whyNoPostgres()
  return [['SQLite', openSqlite], ...(reason ? [] : [['PostgreSQL', openPostgres] as const])]
}

async function openSqlite(): Promise<RawStore> {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-raw-'))
  const store = sqliteStore({ path: join(folder, 'log.db') })
  onTestFinished(async () => {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    store,
    placesOf: async word =>
      readdirSync(folder).filter(file => readFileSync(join(folder, file)).includes(word)),
  }
}

let schemas = 0

async function openPostgres(): Promise<RawStore> {
  const server = await startPostgres()
  const schema = `raw_${process.pid}_${schemas++}`
  const store = postgresStore({ url: server.url, schema })
  const pool = openPool(server.url)
  onTestFinished(async () => {
    await store.close()
    await pool.end()
    await server.stop()
  })
  return {
    store,
    async placesOf(word) {
      const sql = 'select table_name from information_schema.tables where table_schema = $1'
      const names = (await pool.query(sql, [schema])).rows.map(row => String(row.table_name))
      // Bytes are shown as hexadecimal digits.
      const forms = [word, Buffer.from(word).toString('hex')]
      const places: string[] = []
      for (const name of names) {
        const { rows } = await pool.query(`select t::text as row from ${schema}.${name} t`)
        if (rows.some(({ row }) => forms.some(form => String(row).includes(form))))
          places.push(name)
      }
      return places
    },
  }
}
