import type { Row } from './database.ts'
import { ofWhom, type PostgresContext } from './postgres-context.ts'

/**
 * What is looked for in all conversations of a tenant, where tables are spread over machines: one statement for each word or
 * mark. Every machine gives at most as many rows as are wanted, and the newest of all are kept.
 */
export const findSpreadWords = (
  { database, schema }: PostgresContext,
  scope: readonly (string | null)[],
  hashes: readonly (readonly number[])[],
  limit: number,
): Promise<readonly (readonly Row[])[]> =>
  Promise.all(
    hashes.map(forms =>
      forms.length === 0 ? [] : database.read(`${wordSql(schema)}`, [...scope, forms, limit]),
    ),
  )

const wordSql = (schema: string) => `
  select c.tenant, c.conversation, b.actor, b.branch, h.seq, h.time
  from ${schema}.words h join ${schema}.branches b on b.key = h.key and b.line = h.line
    join ${schema}.conversations c on c.key = h.key
  where h.words && $4::integer[] and ${ofWhom}
  order by h.time desc, h.key desc, h.line desc, h.seq desc limit $5`

export const findSpreadMarks = async (
  { database, schema }: PostgresContext,
  marks: readonly string[],
  limit: number,
): Promise<readonly Row[]> =>
  (await Promise.all(marks.map(mark => database.read(markSql(schema), [mark, limit])))).flat()

const markSql = (schema: string) => `
  select m.mark, m.at, c.conversation, b.actor, b.branch
  from ${schema}.marks m join ${schema}.branches b on b.key = m.key and b.line = m.line
    join ${schema}.conversations c on c.key = m.key
  where m.mark = $1 order by m.place desc limit $2`
