import { createHash } from 'node:crypto'
import type { PgClient, Row, Statement } from './pg-client.ts'
import { isUnprepared } from './postgres-error.ts'

interface Result {
  readonly rows: Row[]
}

/**
 * Statements that a connection parses once. Some poolers in transaction mode lend out another connection each time, which
 * does not know them: the first such error, which comes before anything was run, turns preparing off for this store. A
 * statement's name is a hash of its text, so equal names on a lent connection mean equal statements.
 */
export function preparedStatements() {
  const names = new Map<string, string>()
  let isAllowed = true

  function nameOf(text: string): string {
    const known = names.get(text)
    if (known !== undefined) return known
    const name = `throughline ${createHash('sha256').update(text).digest('hex').slice(0, 32)}`
    names.set(text, name)
    return name
  }

  async function run(client: PgClient, statement: Statement): Promise<Result | undefined> {
    if (!isAllowed) return undefined
    try {
      return await client.query({ ...statement, name: nameOf(statement.text) })
    } catch (error) {
      if (!isUnprepared(error)) throw error
      isAllowed = false
      return undefined
    }
  }

  return {
    /** Runs a statement, prepared where possible. */
    query: async (client: PgClient, statement: Statement): Promise<Result> =>
      (await run(client, statement)) ?? client.query(statement),
    /** Runs a statement only if it can be prepared: unprepared, another way is faster. */
    tryQuery: async (client: PgClient, statement: Statement): Promise<Result> =>
      (await run(client, statement)) ?? { rows: [] },
  }
}
