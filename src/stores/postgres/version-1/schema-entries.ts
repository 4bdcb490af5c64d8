/** What the functions that write have in common. They say how it went in \`outcome\`, so a refusal costs no error. */
export const entryFunctions = (schema: string): string => `
-- A database that is told to acknowledge before it has written is told otherwise, for this transaction.
create function ${schema}.make_durable() returns void language plpgsql as $$
begin
  if current_setting('synchronous_commit') = 'off' then
    perform set_config('synchronous_commit', 'on', true);
  end if;
end $$;

-- Its shared past and itself, oldest first: the line, and the places that it gives.
create function ${schema}.lines_of(b ${schema}.branches)
returns table (line integer, first integer, last integer) language sql stable as $$
  select u.line, coalesce(lag(u.last) over (order by u.n), 0) + 1, u.last
  from unnest(b.past_lines || b.line, b.past_ends || b.head) with ordinality u (line, last, n)
$$;

create function ${schema}.entries_of(b ${schema}.branches, p_from integer, p_to integer)
returns setof ${schema}.entries language sql stable as $$
  select e.* from ${schema}.lines_of(b) l join ${schema}.entries e
    on e.tenant = b.tenant and e.conversation = b.conversation and e.line = l.line
    and e.seq between greatest(l.first, p_from) and least(l.last, p_to)
$$;

-- Appends what is not there yet, neither in the line nor in its shared past; gives the new head.
create function ${schema}.put_entries(b ${schema}.branches, p_turn integer, p_entries json) returns integer
language plpgsql as $$
declare
  added integer;
begin
  insert into ${schema}.entries (time, line, seq, turn, tenant, conversation, role, id, tokens, words, payload)
    select e.time, b.line, b.head + row_number() over (order by e.n), p_turn, b.tenant, b.conversation,
      e.role, e.id, e.tokens, e.words, e.payload
    from rows from (json_to_recordset(p_entries)
      as (id text, role text, time double precision, tokens text, words integer[], payload text)) with ordinality
      e (id, role, time, tokens, words, payload, n)
    where ${placeOf(schema, 'b.line')} is null
      and (b.fork_of is null or not exists (
        select from unnest(b.past_lines, b.past_ends) p (line, last) where ${placeOf(schema, 'p.line')} <= p.last
      ));
  get diagnostics added = row_count;
  return b.head + added;
end $$;

-- Whether all of them are there already.
create function ${schema}.has_all(b ${schema}.branches, p_entries json) returns boolean language sql stable as $$
  select count(*) = 0 from json_to_recordset(p_entries) as e (id text)
  where not exists (
    select from ${schema}.lines_of(b) p where ${placeOf(schema, 'p.line')} <= p.last
  )
$$;

create function ${schema}.turn_json(t ${schema}.turns, p_head integer) returns json language sql immutable as $$
  select json_build_object('turn', t.turn, 'status', t.status, 'first', t.first, 'last', coalesce(t.last, p_head),
    'startedAt', t.started_at, 'endedAt', t.ended_at, 'error', t.error, 'key', t.key, 'body', t.body)
$$;
`

/**
 * The place of the entry `e.id` in a line of the branch `b`. Not by equality: the planner thinks that every line is short,
 * and while the primary key has a level less than the index of ids (from some 6,000 entries on) it would walk through
 * the whole line by it. In this order there is only one index, and one step in it.
 */
const placeOf = (schema: string, line: string) => {
  const [key, wanted] = [
    '(x.tenant, x.conversation, x.line, x.id)',
    `(b.tenant, b.conversation, ${line}, e.id)`,
  ]
  return `(select case when ${key} = ${wanted} then x.seq end from ${schema}.entries x
    where ${key} >= ${wanted} order by x.tenant, x.conversation, x.line, x.id limit 1)`
}
