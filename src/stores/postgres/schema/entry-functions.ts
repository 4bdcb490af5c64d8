import { placeOf } from './fragments.ts'

/** Helpers of the functions that write. They report in `outcome`, so a refusal costs no error. */
export const entryFunctions = (schema: string): string => `
create function ${schema}.now_ms() returns double precision language sql volatile as $$
  select floor(extract(epoch from clock_timestamp()) * 1000)::double precision
$$;

-- A database that is told to acknowledge before it has written is told otherwise, for this transaction.
create function ${schema}.make_durable() returns boolean language plpgsql as $$
begin
  if current_setting('synchronous_commit') = 'off' then
    perform set_config('synchronous_commit', 'on', true);
  end if;
  return true;
end $$;

create function ${schema}.why_missing(p_key uuid, p_else text default 'missing') returns json
language sql stable as $$
  select json_build_object('head', 0, 'outcome', case when exists (
    select from ${schema}.conversations where key = p_key and deleted_at is not null
  ) then 'deleted' else p_else end)
$$;

-- Its shared past and itself, oldest first: the line, and the places that it gives.
create function ${schema}.lines_of(b ${schema}.branches)
returns table (line integer, first integer, last integer) language sql stable as $$
  select u.line, coalesce(lag(u.last) over (order by u.n), 0) + 1, u.last
  from unnest(b.past_lines || b.line, b.past_ends || b.head) with ordinality u (line, last, n)
$$;

create function ${schema}.entries_of(b ${schema}.branches, p_from integer, p_to integer)
returns setof ${schema}.entries language sql stable as $$
  select e.* from ${schema}.lines_of(b) l join ${schema}.entries e
    on e.key = b.key and e.line = l.line and e.seq between greatest(l.first, p_from) and least(l.last, p_to)
$$;

-- The shared past brings its turns, cut where it ends, without their idempotency keys.
create function ${schema}.turns_of(b ${schema}.branches) returns setof ${schema}.turns language sql stable as $$
  select t.key, t.line, t.turn, t.first, least(coalesce(t.last, b.head), l.last), t.epoch, t.status, t.started_at,
    t.ended_at, t.error, case when t.line = b.line then t.idempotency_key end, case when t.line = b.line then t.body end
  from ${schema}.lines_of(b) l join ${schema}.turns t on t.key = b.key and t.line = l.line
  where t.line = b.line or t.first <= l.last
$$;

-- Whether all of them are there already.
create function ${schema}.has_all(b ${schema}.branches, p_entries json) returns boolean language sql stable as $$
  select count(*) = 0 from json_to_recordset(p_entries) as e (id text)
  where not exists (
    select from ${schema}.lines_of(b) p where ${placeOf(schema, 'p.line')} <= p.last
  )
$$;

create function ${schema}.turn_json(t ${schema}.turns, p_head integer) returns json language sql immutable as $$
  select json_build_object('turn', t.turn, 'status', t.status, 'first', t.first, 'last', coalesce(t.last, p_head),
    'startedAt', t.started_at, 'endedAt', t.ended_at, 'error', t.error, 'key', t.idempotency_key, 'body', t.body)
$$;
`
