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
    ...versions.map(({ number, name, sql }, at) => ({
      name,
      isDone: () => numberOf(connection) >= number,
      // A file of an early number has the first tables already: only those are let in.
      run() {
        if (at > 0 || numberOf(connection) === 0) connection.exec(sql)
        connection.exec(`PRAGMA user_version = ${number}`)
      },
    })),
    {
      name: search ? 'build the word index' : 'drop the word index',
      isDone: () => hasWordIndex(connection) === search,
      run: () => (search ? createWordIndex(connection) : dropWordIndex(connection)),
    },
  ]
}

function refuseForeign(connection: Connection, versions: readonly Migration[]): void {
  const number = numberOf(connection)
  const latest = versions.at(-1)!.number
  if (number > latest)
    throw schemaError(
      connection,
      `has schema ${number}, this program knows ${latest}: use the throughline that wrote it`,
    )
  const objects = connection.all<{ sql: string }>(objectsSql)
  if (number === 0 && objects.length > 0)
    throw schemaError(connection, 'belongs to another program: give the store a file of its own')
  const [first] = versions
  if (number > 0 && number < first!.number && !hasTables(objects, first!))
    throw schemaError(
      connection,
      `has schema ${number} of an earlier build, whose tables this program cannot read: export its conversations with that build ` +
        '("throughline log export"), and import them into a new file',
    )
}

/** Whether a file has the tables of a step, by their texts. The word index is made beside them. */
function hasTables(objects: readonly { readonly sql: string }[], { sql }: Migration): boolean {
  const plain = (text: string) => text.replace(/\s+/g, ' ').trim()
  const whole = plain(sql)
  return (
    objects.length === whole.split(/ ?\bCREATE (?=TABLE|INDEX|UNIQUE|TRIGGER)/).length - 1 &&
    objects.every(object => whole.includes(plain(object.sql)))
  )
}

const objectsSql =
  "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT GLOB 'words*' AND name NOT GLOB 'sqlite_*'"

/** Refuses a file with an older schema, for readers, who may not migrate. */
export function refuseOutdated(connection: Connection, versions = migrations): void {
  refuseForeign(connection, versions)
  if (isOutdated(connection, versions))
    throw schemaError(connection, 'has an older schema: open it once for writing')
}

export const isOutdated = (connection: Connection, versions = migrations) =>
  numberOf(connection) < versions.at(-1)!.number

const schemaError = ({ path }: Connection, problem: string) =>
  new StoreError('store_schema', `${path} ${problem}.`)

const numberOf = (connection: Connection) =>
  connection.get<{ user_version: number }>('PRAGMA user_version')!.user_version
