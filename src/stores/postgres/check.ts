import type { Database } from './database.ts'

/** Looks for everything that the schema should make impossible. Each query finds the rows that break one rule. */
export async function check(database: Database, schema: string): Promise<readonly string[]> {
  const found: string[] = []
  for (const [problem, sql] of rules(schema)) {
    const rows = await database.read(`${sql} limit 20`, [])
    found.push(...rows.map(row => `${String(row.place)}: ${problem}`))
  }
  return found
}

const rules = (schema: string): readonly (readonly [problem: string, sql: string])[] => {
  const place = (row: string) => `concat_ws('/', ${row}.tenant, ${row}.conversation, ${row}.line) as place`
  const sameLine = (a: string, b: string) =>
    `${a}.tenant = ${b}.tenant and ${a}.conversation = ${b}.conversation and ${a}.line = ${b}.line`
  const parts = ['entries', 'turns', 'calls', 'caches']
  return [
    [
      'its entries are not numbered without gaps from its beginning to its head',
      `select ${place('b')} from ${schema}.branches b left join ${schema}.entries e on ${sameLine('e', 'b')}
      group by b.tenant, b.conversation, b.line, b.head, b.fork_at
      having count(e.seq) <> b.head - coalesce(b.fork_at, 0)
        or min(e.seq) <> coalesce(b.fork_at, 0) + 1 or max(e.seq) <> b.head`,
    ],
    [
      'its turns are not the ones that it counts',
      `select ${place('b')} from ${schema}.branches b
      where b.turns <> (select coalesce(max(t.turn), 0) from ${schema}.lines_of(b) l join ${schema}.turns t
        on t.tenant = b.tenant and t.conversation = b.conversation and t.line = l.line
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
      `select concat_ws('/', e.tenant, e.conversation, e.line, e.seq) as place from ${schema}.entries e left join ${schema}.turns t
        on ${sameLine('t', 'e')} and t.turn = e.turn
      where e.turn <> 0 and (t.turn is null or e.seq < t.first or e.seq > t.last)`,
    ],
    [
      'its shared past is not there',
      `select ${place('b')} from ${schema}.branches b cross join lateral unnest(b.past_lines, b.past_ends) p (line, last)
      left join ${schema}.branches s on s.tenant = b.tenant and s.conversation = b.conversation and s.line = p.line
      where s.line is null or s.head < p.last`,
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
