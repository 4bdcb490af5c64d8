/** Parts of statements. They are pasted into the functions, as calling a function takes longer than most of them. */

export const isBranch = 'key = p_key and actor = p_actor and branch = p_branch'

/** Plans are made once for a session: by default the database makes one for every append, which takes longer than the append. */
export const planOnce = 'set plan_cache_mode = force_generic_plan'

/** Appends entries to the branch `b`, from a head on, except those that it or its shared past already has; `added` counts them. */
export const putEntries = (schema: string, head: string, turn: string, entries: string): string => `
  insert into ${schema}.entries (time, line, seq, turn, role, key, id, checksum, tokens, payload)
    select e.time, b.line, ${head} + row_number() over (order by e.n), ${turn}, e.role, b.key, e.id,
      ${withPlace('e.checksum', `${head} + row_number() over (order by e.n)`, turn)}, e.tokens, e.payload
    from ${recordsOf(schema, entries)}
    where ${placeOf(schema, 'b.line')} is null
      and (b.fork_of is null or not exists (
        select from unnest(b.past_lines, b.past_ends) p (line, last) where ${placeOf(schema, 'p.line')} <= p.last
      ));
  get diagnostics added = row_count;`

export const putMarks = (schema: string, head: string): string => `
  if p_marks is not null then
    insert into ${schema}.marks (key, line, mark, at)
      select b.key, b.line, m.mark, ${head} + m.at from json_to_recordset(p_marks) m (mark uuid, at integer)
    on conflict do nothing;
  end if;`

/** A call that is saved again stays in its place. */
export const sameCall = 'turn time model plan predicted reported status error checksum'
  .split(' ')
  .map(name => `${name} = excluded.${name}`)
  .join(', ')

/** The checksum of an entry with its place (rows.ts). */
export const withPlace = (sum: string, seq: string, turn: string): string =>
  `${sum} + 31 * (${seq})::bigint + 1009 * (${turn})::bigint`

const recordsOf = (schema: string, entries: string) => `rows from (json_to_recordset(${entries})
      as (id text, role ${schema}.role, time double precision, checksum bigint, tokens text, payload text))
      with ordinality e (id, role, time, checksum, tokens, payload, n)`

/**
 * The place of the entry `e.id` in a line of the branch `b`. Not by equality: the planner takes every line for short, and
 * from some 6,000 entries on, while the primary key has a level less than the index of ids, would walk through the whole
 * line by the primary key. With this ORDER BY only the index of ids fits, with one step.
 */
export const placeOf = (schema: string, line: string): string => {
  const [key, wanted] = ['(x.key, x.line, x.id)', `(b.key, ${line}, e.id)`]
  return `(select case when ${key} = ${wanted} then x.seq end from ${schema}.entries x
    where ${key} >= ${wanted} order by x.key, x.line, x.id limit 1)`
}
