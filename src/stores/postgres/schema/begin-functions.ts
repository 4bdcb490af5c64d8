import { isBranch, planOnce, putEntries } from './fragments.ts'

/** Functions that may make a branch: they begin turns and seed entries. Each is one statement, so one transaction. */
export const beginFunctions = (schema: string): string => `
create function ${schema}.begin_turn(
  p_key uuid, p_actor text, p_branch text, p_tenant text, p_conversation text,
  p_owner text, p_lease_ms double precision, p_expected integer, p_once text, p_body text,
  p_closing json, p_entries json
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

  -- The writer itself asks again because the answer got lost: with a key or without, the turn is its own.
  if b.open_turn is not null and b.lease_until > now and b.lease_owner = p_owner
    and json_array_length(p_entries) > 0 and ${schema}.has_all(b, p_entries) then
    select * into t from ${schema}.turns where key = b.key and line = b.line and turn = b.open_turn;
    if (t.idempotency_key, t.body) is not distinct from (p_once, p_body) then
      return json_build_object('outcome', 'begun', 'turn', ${schema}.turn_json(t, b.head), 'epoch', b.epoch, 'head', b.head);
    end if;
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
    get diagnostics added = row_count;
    b.head := b.head + added;
    update ${schema}.turns set status = 'interrupted', epoch = 0, last = b.head, ended_at = now
      where key = b.key and line = b.line and turn = b.open_turn;
  end if;

  insert into ${schema}.turns (key, line, turn, status, first, epoch, started_at, idempotency_key, body)
    values (b.key, b.line, b.turns + 1, 'open', b.head + 1, b.epoch + 1, now, p_once, p_body)
    returning * into t;
  ${putEntries(schema, 'b.head', 't.turn', 'p_entries')}
  get diagnostics added = row_count;
  b.head := b.head + added;
  update ${schema}.branches
    set head = b.head, turns = t.turn, open_turn = t.turn, epoch = t.epoch, updated_at = now,
      lease_owner = p_owner, lease_until = now + p_lease_ms, lease_ms = p_lease_ms
    where ${isBranch};
  return json_build_object('outcome', 'begun', 'turn', ${schema}.turn_json(t, b.head), 'epoch', t.epoch, 'head', b.head);
end $$;

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
  get diagnostics added = row_count;
  update ${schema}.branches set head = b.head + added, updated_at = ${schema}.now_ms() where ${isBranch};
  return json_build_object('outcome', 'ok', 'head', b.head + added);
end $$;
`
