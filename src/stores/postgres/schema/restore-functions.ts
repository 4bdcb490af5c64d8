import { isBranch, placeOf, withPlace } from './fragments.ts'

/** Restores all of a stretch or nothing. Inside, a refusal is an error, which undoes a branch just made. */
export const restoreFunctions = (schema: string): string => `
create function ${schema}.restore_entries(
  p_key uuid, p_actor text, p_branch text, p_tenant text, p_conversation text,
  p_fork_of text, p_fork_at integer, p_from integer, p_time double precision, p_entries json, p_turns json
) returns json language plpgsql as $$
declare
  b ${schema}.branches;
  answer json;
  is_new boolean;
begin
  perform ${schema}.make_durable();
  begin
    select * into b from ${schema}.branches where ${isBranch} for update;
    is_new := not found;
    if is_new and p_fork_of is not null then
      answer := ${schema}.fork_branch(p_key, p_actor, p_fork_of, p_fork_at, p_branch);
      if answer->>'outcome' <> 'ok' then
        perform ${schema}.refuse_restore(answer->>'outcome');
      end if;
    elsif is_new then
      b := ${schema}.lock_or_create(p_key, p_actor, p_branch, p_tenant, p_conversation, 0,
        coalesce(p_time, ${schema}.now_ms()));
      if b.line is null then perform ${schema}.refuse_restore('deleted'); end if;
    end if;
    -- A branch is not older than its conversation, and without anything of its own it makes it no newer.
    if is_new then
      update ${schema}.branches x set updated_at = c.created_at from ${schema}.conversations c
        where x.key = p_key and x.actor = p_actor and x.branch = p_branch and c.key = p_key;
    end if;
    select * into b from ${schema}.branches where ${isBranch} for update;
    if p_fork_of is not null and (b.fork_of, b.fork_at) is distinct from (p_fork_of, p_fork_at) then
      perform ${schema}.refuse_restore('exists');
    end if;
    perform ${schema}.compare_stretch(b, coalesce(p_from, b.head + 1), p_entries, p_turns);
    return json_build_object('outcome', 'ok', 'head', ${schema}.put_stretch(b, p_entries, p_turns));
  exception when sqlstate 'TLREF' then
    return sqlerrm::json;
  end;
end $$;

create function ${schema}.refuse_restore(
  p_outcome text, p_expected integer default null, p_head integer default null, p_once text default null
) returns void language plpgsql as $$
begin
  raise exception using errcode = 'TLREF', message = json_build_object(
    'outcome', p_outcome, 'expected', p_expected, 'head', p_head, 'open', p_head, 'key', p_once)::text;
end $$;

-- What is there must be the same, but for its token counts: another counter may have counted here. What is not must go on where that ends.
create function ${schema}.compare_stretch(b ${schema}.branches, p_from integer, p_entries json, p_turns json)
returns void language plpgsql as $$
declare
  place integer;
begin
  if p_from > b.head + 1 then perform ${schema}.refuse_restore('conflict', p_from - 1, b.head); end if;
  select min(s.seq) into place
    from ${schema}.entries_of(b, p_from, p_from + json_array_length(p_entries) - 1) s join ${entriesIn(schema)} on e.seq = s.seq
    where (s.id, s.role, s.time, s.turn, s.payload) is distinct from (e.id, e.role, e.time, e.turn, e.payload);
  if place is not null then perform ${schema}.refuse_restore('conflict', place - 1, b.head); end if;
  select min(s.first) into place
    from ${schema}.turns_of(b) s join ${turnsIn(schema)} on t.turn = s.turn
    where (s.status, s.first, s.last, s.started_at, s.ended_at, s.error, s.idempotency_key, s.body)
      is distinct from (t.status, t.first, t.last, t."startedAt", t."endedAt", t.error, t.key, t.body);
  if place is not null then perform ${schema}.refuse_restore('conflict', place - 1, b.head); end if;
end $$;

-- Writes what is not there yet; gives the new head.
create function ${schema}.put_stretch(b ${schema}.branches, p_entries json, p_turns json) returns integer
language plpgsql as $$
declare
  fresh record;
  latest record;
  clash record;
begin
  select greatest(max(e.seq), b.head) as head, coalesce(max(e.time), '-infinity') as time, count(*) as count into fresh
    from ${entriesIn(schema)} where e.seq > b.head;
  select max(t.turn) as turn, coalesce(max(greatest(t."startedAt", t."endedAt")), '-infinity') as time,
      count(*) as count, bool_or(t.status = 'open') as is_open into latest
    from ${turnsIn(schema)} where t.turn > b.turns;
  if fresh.count = 0 and latest.count = 0 then return b.head; end if;
  if b.open_turn is not null then perform ${schema}.refuse_restore('turn_open', null, b.open_turn); end if;

  select e.seq, ${placeOf(schema, 'p.line')} as place into clash
    from ${schema}.lines_of(b) p, ${entriesIn(schema)}
    where e.seq > b.head and ${placeOf(schema, 'p.line')} <= p.last limit 1;
  if found then perform ${schema}.refuse_restore('conflict', clash.seq, clash.place); end if;
  if latest.turn > b.turns + latest.count then
    perform ${schema}.refuse_restore('conflict', latest.turn - 1, b.turns);
  end if;
  -- One that would begin in what is stored is missing there.
  select t.first into clash from ${turnsIn(schema)} where t.turn > b.turns and t.first <= b.head limit 1;
  if found then perform ${schema}.refuse_restore('conflict', clash.first - 1, b.head); end if;
  select t.key into clash from ${turnsIn(schema)} join ${schema}.turns x
    on x.key = b.key and x.line = b.line and x.idempotency_key = t.key where t.turn > b.turns limit 1;
  if found then perform ${schema}.refuse_restore('key_reused', null, null, clash.key); end if;

  insert into ${schema}.entries (time, line, seq, turn, role, key, id, checksum, tokens, payload)
    select e.time, b.line, e.seq, e.turn, e.role, b.key, e.id, ${withPlace('e.checksum', 'e.seq', 'e.turn')}, e.tokens, e.payload
    from ${entriesIn(schema)} where e.seq > b.head;
  -- Nobody holds the turns: their former holders work on another store.
  insert into ${schema}.turns (key, line, turn, first, last, epoch, status, started_at, ended_at, error, idempotency_key, body)
    select b.key, b.line, t.turn, t.first, case when t.status <> 'open' then t.last end,
      case when t.status = 'open' then b.epoch + 1 else 0 end, t.status,
      t."startedAt", t."endedAt", t.error, t.key, t.body
    from ${turnsIn(schema)} where t.turn > b.turns;
  update ${schema}.branches x set head = fresh.head, turns = coalesce(latest.turn, b.turns),
      updated_at = greatest(b.updated_at, fresh.time, latest.time), epoch = b.epoch + 1,
      open_turn = case when latest.is_open then latest.turn end,
      lease_owner = case when latest.is_open then '' end, lease_until = case when latest.is_open then 0 end,
      lease_ms = case when latest.is_open then 0 end
    where x.key = b.key and x.actor = b.actor and x.branch = b.branch;
  return fresh.head;
end $$;
`

/** The entries of a stretch, as rows `e`. */
const entriesIn = (schema: string) => `json_to_recordset(p_entries) e (seq integer, turn integer, id text,
      role ${schema}.role, time double precision, checksum bigint, tokens text, payload text)`

/** The turns of a stretch, as rows `t`. */
const turnsIn = (schema: string) => `json_to_recordset(p_turns) t (turn integer, status ${schema}.turn_status,
      first integer, last integer, "startedAt" double precision, "endedAt" double precision, error text, key text, body text)`
