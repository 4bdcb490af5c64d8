import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postgresStore } from '../../src/stores/postgres/postgres-store.ts'
import { startPostgres, type TestPostgres, whyNoPostgres } from '../postgres.ts'
import { killLoop } from './kill-loop.ts'
import { createWriterProgram, type WriterProgram } from './start-writer.ts'
import type { Place } from './writer-line.ts'

const isLong = process.env.THROUGHLINE_LONG === '1'
const reason = whyNoPostgres()
if (reason) console.log(`Not tested: writers of PostgreSQL that are killed, because ${reason}`)

let program: WriterProgram
let server: TestPostgres | undefined
beforeAll(async () => {
  program = await createWriterProgram()
  if (reason) return
  server = await startPostgres()
  const store = postgresStore({ url: server.url })
  await store.migrate()
  await store.close()
})
afterAll(async () => {
  await program?.stop()
  await server?.stop()
})

let files = 0
const places: Readonly<Record<Place['kind'], () => Place>> = {
  sqlite: () => ({ kind: 'sqlite', path: join(program.folder, `${++files}.db`) }),
  postgres: () => ({ kind: 'postgres', url: server!.url }),
}

describe.each(['sqlite', 'postgres'] as const)('a log in %s whose writer is killed at any moment', kind => {
  const isSkipped = kind === 'postgres' && reason !== undefined

  it.skipIf(isSkipped)('has all that was acknowledged, whole, and goes on', async () => {
    const rounds = isLong ? 100 : 4
    const { acknowledged, faults } = await killLoop(program, { place: places[kind](), rounds, seed: 7 })
    console.log(`${rounds} writers of ${kind} killed, ${acknowledged} steps acknowledged`)
    expect(faults).toEqual([])
    expect(acknowledged).toBeGreaterThan(rounds)
  })

  it.skipIf(isSkipped).each([
    ['acknowledges before it writes', 'late', 'was acknowledged and is not there'],
    ['writes the end of a turn in two transactions', 'torn', 'torn'],
  ] as const)('would notice a store that %s', async (_, fault, words) => {
    const { acknowledged, faults } = await killLoop(program, {
      place: places[kind](),
      rounds: 30,
      seed: 7,
      fault,
    })
    expect(acknowledged).toBeGreaterThan(0)
    expect(faults.join()).toContain(words)
  })
})
