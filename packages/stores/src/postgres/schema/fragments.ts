/** Parts of statements: plain SQL, without functions of our own, so that shards of a distributed table can run it too. */

/** The database's time in milliseconds, as of the beginning of the transaction. */
export const now = 'floor(extract(epoch from now()) * 1000)::double precision'

/** The branch whose key is in the first three values. */
export const isBranch = 'b.key = $1 and b.actor = $2 and b.branch = $3'

/** The shared past of the branch `b` and itself, oldest first: the line, and the places that it gives. */
export const linesOf = `lateral (
  select u.line, coalesce(lag(u.last) over (order by u.n), 0) + 1 as first, u.last
  from unnest(b.past_lines || b.line, b.past_ends || b.head) with ordinality u (line, last, n)
) l`

export const turnColumns = `t.turn, t.status, t.first, t.started_at as "startedAt", t.ended_at as "endedAt", t.error`

/** A call that is saved again stays in its place. */
export const sameCall = 'turn time model plan predicted reported status error checksum'
  .split(' ')
  .map(name => `${name} = excluded.${name}`)
  .join(', ')

/** The checksum of an entry with its place (rows.ts). */
export const withPlace = (sum: string, seq: string, turn: string): string =>
  `${sum} + 31 * (${seq})::bigint + 1009 * (${turn})::bigint`

/**
 * The place of an entry in a line of the conversation $1. Not by equality: the planner takes every line for short, and
 * from some 6,000 entries on, while the primary key has a level less than the index of ids, would walk through the whole
 * line by the primary key. With this ORDER BY only the index of ids fits, with one step.
 */
export const placeOf = (schema: string, line: string, id: string): string => {
  const [key, wanted] = ['(x.line, x.id)', `(${line}, ${id})`]
  return `(select case when ${key} = ${wanted} then x.seq end from ${schema}.entries x
    where x.key = $1 and ${key} >= ${wanted} order by x.key, x.line, x.id limit 1)`
}
