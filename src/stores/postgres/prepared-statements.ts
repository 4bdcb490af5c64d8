import { createHash } from 'node:crypto'
import type { PgClient, Row, Statement } from './pg-client.ts'
import { isUnprepared } from './postgres-error.ts'

interface Result {
  readonly rows: Row[]
}

/**
 * Statements that a connection parses once. Some poolers in transaction mode lend out another connection each time and
 * do not carry these along: the first complaint, before anything was run, turns them off for this store. The name is a
 * hash of the text, so whoever prepared it on a lent connection prepared the same.
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
    /** Not prepared where that is not possible. */
    query: async (client: PgClient, statement: Statement): Promise<Result> =>
      (await run(client, statement)) ?? client.query(statement),
    /** Not run at all where it cannot be prepared: for what would take longer then than another way. */
    tryQuery: async (client: PgClient, statement: Statement): Promise<Result> =>
      (await run(client, statement)) ?? { rows: [] },
  }
}
