import { isBranch, placeOf, planOnce, putEntries, putMarks, sameCall } from './fragments.ts'

/** Functions that begin, continue and end turns, and seed entries. Each is one statement, so one transaction. */
export const turnFunctions = (schema: string): string => `
create function ${schema}.begin_turn(
  p_key uuid, p_actor text, p_branch text, p_tenant text, p_conversation text,
  p_owner text, p_lease_ms double precision, p_expected integer, p_once text, p_body text,
  p_closing json, p_closing_status text, p_closing_error text, p_entries json, p_marks json default null
) returns json language plpgsql ${planOnce} as $$
declare
  b ${schema}.branches;
  t ${schema}.turns;
  is_replay boolean;
  now double precision;
  added integer;
begin
  perform ${schema}.make_durable();
  b := ${schema}.lock_or_create(p_key, p_actor, p_branch, p_tenant, p_conversation, p_expected, ${schema}.now_ms());
  if b.line is null then return ${schema}.why_missing(p_key, 'conflict'); end if;
  now := ${schema}.now_ms();

  -- The owner of the open turn asks for the same again: its answer got lost.
  if b.open_turn is not null and b.lease_owner = p_owner and ${schema}.is_begun(b, p_once, p_body, p_entries) then
    update ${schema}.branches set lease_until = now + p_lease_ms, lease_ms = p_lease_ms where ${isBranch};
    select * into t from ${schema}.turns where key = b.key and line = b.line and turn = b.open_turn;
    return json_build_object('outcome', 'begun', 'turn', ${schema}.turn_json(t, b.head), 'epoch', b.epoch, 'head', b.head);
  end if;

  if p_once is not null then
    -- In the order of the index of keys, for the reason given at placeOf in fragments.ts.
    select * into t from ${schema}.turns
      where idempotency_key is not null and (key, line, idempotency_key) >= (b.key, b.line, p_once)
      order by key, line, idempotency_key limit 1;
    is_replay := (t.key, t.line, t.idempotency_key) = (b.key, b.line, p_once);
    if is_replay and t.body is distinct from p_body then return json_build_object('outcome', 'key_reused'); end if;
    if is_replay then return json_build_object('outcome', 'replayed', 'turn', ${schema}.turn_json(t, b.head), 'head', b.head); end if;
  end if;

  if b.open_turn is not null and b.lease_until > now then
    return ${schema}.turn_open(b, now);
  end if;
  if p_expected is not null and p_expected <> b.head then
    return json_build_object('outcome', 'conflict', 'head', b.head);
  end if;

  if b.open_turn is not null then
    ${putEntries(schema, 'b.head', 'b.open_turn', 'p_closing')}
    b.head := b.head + added;
    update ${schema}.turns set status = p_closing_status::${schema}.turn_status, error = p_closing_error, epoch = 0,
        last = b.head, ended_at = now
      where key = b.key and line = b.line and turn = b.open_turn;
  end if;

  insert into ${schema}.turns (key, line, turn, status, first, epoch, started_at, idempotency_key, body)
    values (b.key, b.line, b.turns + 1, 'open', b.head + 1, b.epoch + 1, now, p_once, p_body)
    returning * into t;
  ${putEntries(schema, 'b.head', 't.turn', 'p_entries')}
  b.head := b.head + added;
  update ${schema}.branches
    set head = b.head, turns = t.turn, open_turn = t.turn, epoch = t.epoch, updated_at = greatest(updated_at, now),
      lease_owner = p_owner, lease_until = now + p_lease_ms, lease_ms = p_lease_ms
    where ${isBranch};
  ${putMarks(schema, 't.first - 1')}
  return json_build_object('outcome', 'begun', 'turn', ${schema}.turn_json(t, b.head), 'epoch', t.epoch, 'head', b.head);
end $$;

-- Whether the open turn began with this key, body and entries: all of them are stored, and one of them in this turn.
create function ${schema}.is_begun(b ${schema}.branches, p_once text, p_body text, p_entries json) returns boolean
language sql stable as $$
  select ${schema}.has_all(b, p_entries) and exists (
    select from ${schema}.turns t where t.key = b.key and t.line = b.line and t.turn = b.open_turn
      and (t.idempotency_key, t.body) is not distinct from (p_once, p_body)
      and exists (select from json_to_recordset(p_entries) as e (id text) where ${placeOf(schema, 'b.line')} >= t.first)
  )
$$;

create function ${schema}.seed_entries(
  p_key uuid, p_actor text, p_branch text, p_tenant text, p_conversation text, p_expected integer, p_entries json
) returns json language plpgsql ${planOnce} as $$
declare
  b ${schema}.branches;
  added integer;
begin
  perform ${schema}.make_durable();
  b := ${schema}.lock_or_create(p_key, p_actor, p_branch, p_tenant, p_conversation, p_expected, ${schema}.now_ms());
  if b.line is null then return ${schema}.why_missing(p_key, 'conflict'); end if;
  if json_array_length(p_entries) > 0 and ${schema}.has_all(b, p_entries) then
    return json_build_object('outcome', 'ok', 'head', b.head);
  end if;
  if b.open_turn is not null then return ${schema}.turn_open(b, ${schema}.now_ms()); end if;
  if b.head <> p_expected then return json_build_object('outcome', 'conflict', 'head', b.head); end if;

  ${putEntries(schema, 'b.head', '0', 'p_entries')}
  update ${schema}.branches set head = b.head + added, updated_at = greatest(updated_at, ${schema}.now_ms()) where ${isBranch};
  return json_build_object('outcome', 'ok', 'head', b.head + added);
end $$;

-- Goes on with a turn; ends it where a status is given. One update finds the branch, locks it, asks for lease and head,
-- and moves the head on: what nearly always holds costs one look.
create function ${schema}.append_entries(
  p_key uuid, p_actor text, p_branch text,
  p_owner text, p_epoch integer, p_expected integer, p_status text, p_error text, p_count integer, p_entries json,
  p_call json default null, p_marks json default null
) returns json language plpgsql ${planOnce} as $$
declare
  b ${schema}.branches;
  is_durable boolean := ${schema}.make_durable();
  refusal json;
  added integer;
begin
  loop
    update ${schema}.branches set head = head + p_count, updated_at = greatest(updated_at, ${schema}.now_ms())
      where ${isBranch} and head = p_expected and epoch = p_epoch and lease_owner = p_owner and open_turn is not null
      returning * into b;
    exit when found;
    refusal := ${schema}.why_not_appended(p_key, p_actor, p_branch, p_owner, p_epoch, p_expected, p_entries, p_status);
    -- Nothing speaks against it any more: another writer was in the way only for a moment.
    if refusal is not null then return refusal; end if;
  end loop;
  ${putEntries(schema, 'p_expected', 'b.open_turn', 'p_entries')}
  if added < p_count then
    update ${schema}.branches set head = p_expected + added where ${isBranch};
  end if;
  -- All of it was stored before: the rest of it too.
  if added = 0 and p_count > 0 and p_status is null then
    return json_build_object('outcome', 'ok', 'head', p_expected);
  end if;
  if p_status is not null then
    update ${schema}.turns set status = p_status::${schema}.turn_status, error = p_error, last = p_expected + added,
        ended_at = ${schema}.now_ms()
      where key = b.key and line = b.line and turn = b.open_turn;
    update ${schema}.branches set open_turn = null, lease_owner = null, lease_until = null, lease_ms = null where ${isBranch};
  end if;
  if p_call is not null then
    insert into ${schema}.calls (key, line, id, turn, time, model, plan, predicted, reported, status, error, checksum)
      select b.key, b.line, c.* from json_to_record(p_call) c (id text, turn integer, time double precision, model text,
        plan text, predicted double precision, reported double precision, status ${schema}.call_status, error text,
        checksum bigint)
    on conflict (key, line, id) do update set ${sameCall};
  end if;
  ${putMarks(schema, 'p_expected')}
  return json_build_object('outcome', 'ok', 'head', p_expected + added);
end $$;

create function ${schema}.why_not_appended(
  p_key uuid, p_actor text, p_branch text,
  p_owner text, p_epoch integer, p_expected integer, p_entries json, p_status text
) returns json language plpgsql ${planOnce} as $$
declare
  b ${schema}.branches;
begin
  select * into b from ${schema}.branches where ${isBranch} for update;
  if not found then return ${schema}.why_missing(p_key); end if;

  -- The caller asks again because the answer got lost: all of it is there.
  if ${schema}.has_all(b, p_entries) and (p_status is null and json_array_length(p_entries) > 0 or exists (
    select from ${schema}.turns
      where key = b.key and line = b.line and epoch = nullif(p_epoch, 0) and status = p_status::${schema}.turn_status
  )) then
    return json_build_object('outcome', 'ok', 'head', b.head);
  end if;
  if b.open_turn is null or b.epoch <> p_epoch or b.lease_owner <> p_owner then
    return json_build_object('outcome', 'lease_lost');
  end if;
  if b.head <> p_expected then return json_build_object('outcome', 'conflict', 'head', b.head); end if;
  return null;
end $$;

-- How long a lease still holds; 0 when it has run out. Never longer than it was given for: then the clock has gone back.
create function ${schema}.held_ms(b ${schema}.branches, p_now double precision) returns double precision
language sql immutable as $$
  select greatest(0, least(b.lease_until - p_now, b.lease_ms))
$$;

-- Refuses, and says for how long. After the clock went back a lease begins anew: a living holder renews it, a dead one is not waited for.
create function ${schema}.turn_open(b ${schema}.branches, p_now double precision) returns json language plpgsql as $$
begin
  if b.lease_until > p_now + b.lease_ms then
    update ${schema}.branches set lease_until = p_now + b.lease_ms
      where key = b.key and actor = b.actor and branch = b.branch;
  end if;
  return json_build_object('outcome', 'turn_open', 'open', b.open_turn, 'heldMs', ${schema}.held_ms(b, p_now));
end $$;

create function ${schema}.renew_lease(
  p_key uuid, p_actor text, p_branch text, p_owner text, p_epoch integer, p_lease_ms double precision
) returns json language plpgsql as $$
begin
  update ${schema}.branches set lease_until = ${schema}.now_ms() + p_lease_ms, lease_ms = p_lease_ms
    where ${isBranch} and open_turn is not null and epoch = p_epoch and lease_owner = p_owner;
  if found then return json_build_object('outcome', 'ok'); end if;
  if exists (select from ${schema}.branches where ${isBranch}) then
    return json_build_object('outcome', 'lease_lost');
  end if;
  return ${schema}.why_missing(p_key);
end $$;

-- Takes over the open turn of a holder whose lease has run out.
create function ${schema}.resume_turn(
  p_key uuid, p_actor text, p_branch text, p_owner text, p_lease_ms double precision
) returns json language plpgsql as $$
declare
  b ${schema}.branches;
  t ${schema}.turns;
  now double precision;
begin
  perform ${schema}.make_durable();
  select * into b from ${schema}.branches where ${isBranch} for update;
  if b.open_turn is null then return json_build_object('outcome', 'none'); end if;
  now := ${schema}.now_ms();
  if b.lease_until > now then return ${schema}.turn_open(b, now); end if;
  update ${schema}.turns set epoch = b.epoch + 1
    where key = b.key and line = b.line and turn = b.open_turn returning * into t;
  update ${schema}.branches
    set epoch = b.epoch + 1, lease_owner = p_owner, lease_until = now + p_lease_ms, lease_ms = p_lease_ms
    where ${isBranch};
  return json_build_object('outcome', 'begun', 'turn', ${schema}.turn_json(t, b.head), 'epoch', t.epoch, 'head', b.head);
end $$;
`
