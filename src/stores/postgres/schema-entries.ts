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

-- Appends what is not there yet, neither in the line nor in its shared past; gives the new head. Ids are looked up one
-- by one: a join would be planned for a table as it was long ago.
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
    where (select x.seq from ${schema}.entries x where ${isSame('b.line')}) is null
      and (b.fork_of is null or not exists (
        select from unnest(b.past_lines, b.past_ends) p (line, last)
        where (select x.seq from ${schema}.entries x where ${isSame('p.line')}) <= p.last
      ));
  get diagnostics added = row_count;
  return b.head + added;
end $$;

-- Whether all of them are there already.
create function ${schema}.has_all(b ${schema}.branches, p_entries json) returns boolean language sql stable as $$
  select count(*) = 0 from json_to_recordset(p_entries) as e (id text)
  where not exists (
    select from ${schema}.lines_of(b) p
    where (select x.seq from ${schema}.entries x where ${isSame('p.line')}) <= p.last
  )
$$;

create function ${schema}.turn_json(t ${schema}.turns, p_head integer) returns json language sql immutable as $$
  select json_build_object('turn', t.turn, 'status', t.status, 'first', t.first, 'last', coalesce(t.last, p_head),
    'startedAt', t.started_at, 'endedAt', t.ended_at, 'error', t.error, 'key', t.key, 'body', t.body)
$$;
`

const isSame = (line: string) =>
  `x.tenant = b.tenant and x.conversation = b.conversation and x.line = ${line} and x.id = e.id`
