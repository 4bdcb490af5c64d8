import { postgresStore } from '@throughline/stores/postgres'
import type { TestPostgres } from '@throughline/test-tools/postgres'
import { findFaults } from './find-faults.ts'
import type { WriterProgram } from './start-writer.ts'
import { type Fault, isAcknowledged, isRefused, type Refused } from './writer-line.ts'

/** Two processes write turns until the server is stopped like in a crash; it is started again, and both logs are read. */
export async function stopServer(
  program: WriterProgram,
  server: TestPostgres,
  fault?: Fault,
): Promise<{
  readonly acknowledged: number
  readonly refused: readonly Refused[]
  readonly exits: readonly (number | null)[]
  readonly faults: readonly string[]
}> {
  const place = { kind: 'postgres', url: server.url } as const
  const conversations = ['first', 'second'].map(name => `${name} ${crypto.randomUUID()}`)
  const writers = conversations.map(conversation => {
    const options = { place, conversation, name: 'ada', turns: 1_000_000, leaseMs: 500 }
    return program.start(fault ? { ...options, fault } : options)
  })
  await Promise.all(writers.map(writer => writer.waitFor('acknowledged', 20)))
  await server.stopImmediate()
  const exits = await Promise.all(writers.map(writer => writer.ended()))
  await server.restart()
  const store = postgresStore({ url: server.url })
  const faults: string[] = []
  let count = 0
  for (const [n, conversation] of conversations.entries()) {
    const acknowledged = writers[n]!.lines.filter(isAcknowledged)
    faults.push(...(await findFaults({ store, conversation, acknowledged })))
    count += acknowledged.length
  }
  await store.close()
  const refused = writers.flatMap(writer => writer.lines.filter(isRefused))
  return { acknowledged: count, refused, exits, faults }
}
