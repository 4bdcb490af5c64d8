import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { checksum } from './checksum.ts'
import { migrations as postgresMigrations } from './postgres/migrate.ts'
import { columns } from './sqlite/rows.ts'
import { migrations as sqliteMigrations } from './sqlite/schema.ts'

/**
 * What a file of each number is made of. A change here breaks files that were written before: add a migration with the next
 * number, which takes them along, and a line for it.
 */
const digests = {
  sqlite: { 4: '71c99224a093e588' },
  postgres: { 4: '1b56d75deb584b51', 5: '3c85146dc7553796', 6: 'c9842114c8de9a01' },
  /** How the rows of the latest number are summed. */
  sums: { sqlite: 4, postgres: 6, digest: '43e10c2e1caf0270' },
}

const digest = (...parts: readonly unknown[]) =>
  createHash('sha256')
    .update(JSON.stringify(parts).replace(/(\\n|\s)+/g, ' '))
    .digest('hex')
    .slice(0, 16)

it('has a number that changes with the schema', () => {
  const sqlite = sqliteMigrations.map(({ number, sql }) => [number, digest(sql)])
  const postgres = postgresMigrations.map(({ number, sql }) => [number, digest(sql('s'))])
  const sums = [checksum(['a', 1, null, 'ö']), checksum([], Uint8Array.of(1, 2))]
  expect({
    sqlite: Object.fromEntries(sqlite),
    postgres: Object.fromEntries(postgres),
    sums: {
      sqlite: sqliteMigrations.at(-1)!.number,
      postgres: postgresMigrations.at(-1)!.number,
      digest: digest(columns, sums),
    },
  }).toEqual(digests)
})

it('has numbers that only grow', () => {
  for (const steps of [sqliteMigrations, postgresMigrations])
    for (const [at, { number }] of steps.entries())
      expect(number).toBeGreaterThan(steps[at - 1]?.number ?? 3)
})
