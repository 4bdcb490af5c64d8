import { type CheckEntriesOptions, checkEntries } from './check-entries.ts'
import type { Database } from './database.ts'

/** Runs queries that each find the rows that break one rule of the schema, then reads every entry. */
export async function check(
  database: Database,
  schema: string,
  options: CheckEntriesOptions,
): Promise<readonly string[]> {
  const found: string[] = []
  for (const [problem, sql] of rules(schema)) {
    const rows = await database.read(`${sql} limit 20`, [])
    for (const row of rows) found.push(`${String(row.place)}: ${problem}`)
  }
  return found.concat(await checkEntries(database, schema, options))
}

const rules = (schema: string): readonly (readonly [problem: string, sql: string])[] => {
  const names = (row: string) =>
    `coalesce((select concat_ws('/', c.tenant, c.conversation) from ${schema}.conversations c where c.key = ${row}.key), ${row}.key::text)`
  const place = (row: string) => `concat_ws('/', ${names(row)}, ${row}.line) as place`
  const sameLine = (a: string, b: string) => `${a}.key = ${b}.key and ${a}.line = ${b}.line`
  const parts = ['entries', 'turns', 'calls', 'caches']
  return [
    [
      'its entries are not numbered without gaps from its beginning to its head',
      `select ${place('b')} from ${schema}.branches b left join ${schema}.entries e on ${sameLine('e', 'b')}
      group by b.key, b.line, b.head, b.fork_at
      having count(e.seq) <> b.head - coalesce(b.fork_at, 0)
        or min(e.seq) <> coalesce(b.fork_at, 0) + 1 or max(e.seq) <> b.head`,
    ],
    [
      'its turns are not the ones that it counts',
      `select ${place('b')} from ${schema}.branches b
      where b.turns <> (select coalesce(max(t.turn), 0) from ${schema}.lines_of(b) l join ${schema}.turns t
        on t.key = b.key and t.line = l.line
        where t.line = b.line or t.first <= l.last)`,
    ],
    [
      'the open turn is not the one that the branch names',
      `select ${place('b')} from ${schema}.branches b
      where b.open_turn is distinct from (select max(t.turn) from ${schema}.turns t
        where ${sameLine('t', 'b')} and t.status = 'open')`,
    ],
    [
      'an entry lies outside of its turn',
      `select concat_ws('/', ${names('e')}, e.line, e.seq) as place from ${schema}.entries e left join ${schema}.turns t
        on ${sameLine('t', 'e')} and t.turn = e.turn
      where e.turn <> 0 and (t.turn is null or e.seq < t.first or e.seq > t.last)`,
    ],
    [
      'its shared past is not there',
      `select ${place('b')} from ${schema}.branches b cross join lateral unnest(b.past_lines, b.past_ends) p (line, last)
      left join ${schema}.branches s on s.key = b.key and s.line = p.line
      where s.line is null or s.head < p.last`,
    ],
    [
      'its key is not the one of its names',
      `select concat_ws('/', c.tenant, c.conversation) as place from ${schema}.conversations c
      where c.key <> ${schema}.key_of(c.tenant, c.conversation)`,
    ],
    [
      'its branches are there, and it is not',
      `select ${place('b')} from ${schema}.branches b left join ${schema}.conversations c on c.key = b.key
      where c.key is null or c.deleted_at is not null`,
    ],
    ...parts.map(
      part =>
        [
          `${part} without a branch`,
          `select distinct ${place('x')} from ${schema}.${part} x left join ${schema}.branches b on ${sameLine('b', 'x')}
          where b.line is null`,
        ] as const,
    ),
  ]
}
