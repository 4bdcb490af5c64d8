import { StoreError } from '../store-error.ts'
import type { Connection } from './connection.ts'
import { type Migration, migrations } from './schema.ts'
import { createWordIndex, dropWordIndex, hasWordIndex } from './word-index.ts'

/** Runs the missing steps, each in its own transaction (none in a dry run), and returns their names. */
export function migrate(
  connection: Connection,
  { search, dryRun = false }: { search: boolean; dryRun?: boolean },
  versions = migrations,
) {
  refuseForeign(connection, versions)
  const missing = steps(connection, versions, search).filter(step => !step.isDone())
  if (dryRun || missing.length === 0) return missing.map(({ name }) => name)
  return missing.flatMap(step =>
    connection.write(() => {
      // Checked again inside the transaction: another process may have run the step.
      if (step.isDone()) return []
      step.run()
      return [step.name]
    }),
  )
}

function steps(connection: Connection, versions: readonly Migration[], search: boolean) {
  return [
    ...versions.map(({ name, sql }, n) => ({
      name,
      isDone: () => versionOf(connection) > n,
      run: () => connection.exec(`${sql}; PRAGMA user_version = ${n + 1}`),
    })),
    {
      name: search ? 'build the word index' : 'drop the word index',
      isDone: () => hasWordIndex(connection) === search,
      run: () => (search ? createWordIndex(connection) : dropWordIndex(connection)),
    },
  ]
}

function refuseForeign(connection: Connection, versions: readonly Migration[]): void {
  const version = versionOf(connection)
  if (version > versions.length)
    throw schemaError(
      connection,
      `has schema ${version}, this version knows ${versions.length}: use the throughline that wrote it`,
    )
  const tables = connection.get<{ n: number }>('SELECT count(*) AS n FROM sqlite_schema')!.n
  if (version === 0 && tables > 0)
    throw schemaError(connection, 'belongs to another program: give the store a file of its own')
}

/** Refuses a file with an older schema, for readers, who may not migrate. */
export function refuseOutdated(connection: Connection, versions = migrations): void {
  refuseForeign(connection, versions)
  if (isOutdated(connection, versions))
    throw schemaError(connection, 'has an older schema: open it once for writing')
}

export const isOutdated = (connection: Connection, versions = migrations) =>
  versionOf(connection) < versions.length

const schemaError = ({ path }: Connection, problem: string) =>
  new StoreError('store_schema', `${path} ${problem}.`)

const versionOf = (connection: Connection) =>
  connection.get<{ user_version: number }>('PRAGMA user_version')!.user_version
