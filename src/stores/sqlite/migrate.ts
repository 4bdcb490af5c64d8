import { StoreError } from '../store-error.ts'
import type { Connection } from './connection.ts'
import { migrations } from './schema.ts'
import { addWords, createWordIndex, dropWordIndex, hasWordIndex } from './word-index.ts'

interface Step {
  readonly name: string
  isDone(): boolean
  run(): void
}

/** The names of the steps that were missing; takes them, each in a transaction of its own, unless it is a dry run. */
export function migrate(
  connection: Connection,
  { search, dryRun = false }: { search: boolean; dryRun?: boolean },
) {
  refuseForeign(connection)
  const missing = steps(connection, search).filter(step => !step.isDone())
  if (dryRun || missing.length === 0) return missing.map(({ name }) => name)
  return missing.flatMap(step =>
    connection.write(() => {
      // Asked again inside of the transaction: somebody else may have been here in between.
      if (step.isDone()) return []
      step.run()
      return [step.name]
    }),
  )
}

function steps(connection: Connection, search: boolean): Step[] {
  const schema = migrations.map(({ name, sql }, n) => ({
    name,
    isDone: () => versionOf(connection) > n,
    run() {
      if (n === 2) indexOldQueue(connection)
      connection.exec(`${sql}; PRAGMA user_version = ${n + 1}`)
    },
  }))
  return [
    ...schema,
    {
      name: search ? 'build the word index' : 'drop the word index',
      isDone: () => hasWordIndex(connection) === search,
      run: () => (search ? createWordIndex(connection) : dropWordIndex(connection)),
    },
  ]
}

/** Up to version 2 a table had every entry that waited for the index. */
function indexOldQueue(connection: Connection): void {
  if (!connection.get("SELECT 1 FROM sqlite_schema WHERE name = 'unindexed'")) return
  const sql = 'SELECT place, payload FROM unindexed JOIN entries USING (place) ORDER BY place'
  for (const { place, payload } of connection.all<{ place: number; payload: string }>(sql))
    addWords(connection, place, payload)
  connection.exec('DROP TABLE unindexed')
}

function refuseForeign(connection: Connection): void {
  const version = versionOf(connection)
  if (version > migrations.length)
    throw schemaError(
      connection,
      `has schema ${version}, this version knows ${migrations.length}: update throughline`,
    )
  const tables = connection.get<{ n: number }>('SELECT count(*) AS n FROM sqlite_schema')!.n
  if (version === 0 && tables > 0)
    throw schemaError(connection, 'belongs to another program: give the store a file of its own')
}

/** What a reader needs, who may not migrate. */
export function refuseOutdated(connection: Connection): void {
  refuseForeign(connection)
  if (versionOf(connection) < migrations.length)
    throw schemaError(connection, 'has an older schema: open it once for writing')
}

const schemaError = ({ path }: Connection, problem: string) =>
  new StoreError('store_schema', `${path} ${problem}.`)

const versionOf = (connection: Connection) =>
  connection.get<{ user_version: number }>('PRAGMA user_version')!.user_version
