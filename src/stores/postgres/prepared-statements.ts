import { createHash } from 'node:crypto'
import type { PgClient, Row, Statement } from './database.ts'
import { isUnprepared } from './postgres-error.ts'

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

  return {
    async query(client: PgClient, statement: Statement): Promise<{ readonly rows: Row[] }> {
      if (!isAllowed) return client.query(statement)
      try {
        return await client.query({ ...statement, name: nameOf(statement.text) })
      } catch (error) {
        if (!isUnprepared(error)) throw error
        isAllowed = false
        return client.query(statement)
      }
    },
  }
}
