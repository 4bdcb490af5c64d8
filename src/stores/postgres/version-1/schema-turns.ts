/** Turns begin, go on and end: one function each, so one statement, one round trip and one transaction. */
export const turnFunctions = (schema: string): string => `
create function ${schema}.begin_turn(
  p_tenant text, p_conversation text, p_actor text, p_branch text,
  p_owner text, p_lease_ms double precision, p_expected integer, p_key text, p_body text,
  p_closing json, p_entries json
) returns json language plpgsql as $$
declare
  b ${schema}.branches;
  t ${schema}.turns;
  is_replay boolean;
  now double precision;
begin
  perform ${schema}.make_durable();
  b := ${schema}.lock_or_create(p_tenant, p_conversation, p_actor, p_branch, p_expected);
  if b.line is null then return ${schema}.why_missing(p_tenant, p_conversation, 'conflict'); end if;
  now := ${schema}.now_ms();

  if p_key is not null then
    -- In the order of the index of keys, for the reason given at placeOf in schema-entries.ts.
    select * into t from ${schema}.turns
      where key is not null and (tenant, conversation, line, key) >= (b.tenant, b.conversation, b.line, p_key)
      order by tenant, conversation, line, key limit 1;
    is_replay := (t.tenant, t.conversation, t.line, t.key) = (b.tenant, b.conversation, b.line, p_key);
    if is_replay and t.body is distinct from p_body then return json_build_object('outcome', 'key_reused'); end if;
    if is_replay then return json_build_object('outcome', 'replayed', 'turn', ${schema}.turn_json(t, b.head), 'head', b.head); end if;
  end if;

  if b.open_turn is not null and b.lease_until > now then
    -- The writer itself asks again because the answer got lost.
    if b.lease_owner = p_owner and json_array_length(p_entries) > 0 and ${schema}.has_all(b, p_entries) then
      select * into t from ${schema}.turns
        where tenant = b.tenant and conversation = b.conversation and line = b.line and turn = b.open_turn;
      return json_build_object('outcome', 'begun', 'turn', ${schema}.turn_json(t, b.head), 'epoch', b.epoch, 'head', b.head);
    end if;
    return json_build_object('outcome', 'turn_open', 'open', b.open_turn);
  end if;
  if p_expected is not null and p_expected <> b.head then
    return json_build_object('outcome', 'conflict', 'head', b.head);
  end if;

  if b.open_turn is not null then
    b.head := ${schema}.put_entries(b, b.open_turn, p_closing);
    update ${schema}.turns set status = 'interrupted', epoch = 0, last = b.head, ended_at = now
      where tenant = b.tenant and conversation = b.conversation and line = b.line and turn = b.open_turn;
  end if;

  insert into ${schema}.turns (tenant, conversation, line, turn, status, first, epoch, started_at, key, body)
    values (b.tenant, b.conversation, b.line, b.turns + 1, 'open', b.head + 1, b.epoch + 1, now, p_key, p_body)
    returning * into t;
  b.head := ${schema}.put_entries(b, t.turn, p_entries);
  update ${schema}.branches
    set head = b.head, turns = t.turn, open_turn = t.turn, epoch = t.epoch, updated_at = now,
      lease_owner = p_owner, lease_until = now + p_lease_ms
    where tenant = b.tenant and conversation = b.conversation and actor = b.actor and branch = b.branch;
  return json_build_object('outcome', 'begun', 'turn', ${schema}.turn_json(t, b.head), 'epoch', t.epoch, 'head', b.head);
end $$;

-- Goes on with a turn; ends it where a status is given.
create function ${schema}.append_entries(
  p_tenant text, p_conversation text, p_actor text, p_branch text,
  p_owner text, p_epoch integer, p_expected integer, p_entries json, p_status text, p_error text
) returns json language plpgsql as $$
declare
  b ${schema}.branches;
  now double precision;
begin
  perform ${schema}.make_durable();
  select * into b from ${schema}.branches
    where tenant = p_tenant and conversation = p_conversation and actor = p_actor and branch = p_branch for update;
  if not found then return ${schema}.why_missing(p_tenant, p_conversation); end if;

  -- Somebody asks again because the answer got lost: all of it is there.
  if p_expected <> b.head or b.open_turn is null then
    if ${schema}.has_all(b, p_entries) and (p_status is null and json_array_length(p_entries) > 0 or exists (
      select from ${schema}.turns where tenant = b.tenant and conversation = b.conversation and line = b.line
        and epoch = p_epoch and status = p_status
    )) then
      return json_build_object('outcome', 'ok', 'head', b.head);
    end if;
  end if;
  if b.open_turn is null or b.epoch <> p_epoch or b.lease_owner <> p_owner then
    return json_build_object('outcome', 'lease_lost');
  end if;
  if b.head <> p_expected then return json_build_object('outcome', 'conflict', 'head', b.head); end if;

  now := ${schema}.now_ms();
  b.head := ${schema}.put_entries(b, b.open_turn, p_entries);
  if p_status is not null then
    update ${schema}.turns set status = p_status, error = p_error, last = b.head, ended_at = now
      where tenant = b.tenant and conversation = b.conversation and line = b.line and turn = b.open_turn;
  end if;
  update ${schema}.branches
    set head = b.head, updated_at = now, open_turn = case when p_status is null then b.open_turn end,
      lease_owner = case when p_status is null then b.lease_owner end,
      lease_until = case when p_status is null then b.lease_until end
    where tenant = b.tenant and conversation = b.conversation and actor = b.actor and branch = b.branch;
  return json_build_object('outcome', 'ok', 'head', b.head);
end $$;

create function ${schema}.seed_entries(
  p_tenant text, p_conversation text, p_actor text, p_branch text, p_expected integer, p_entries json
) returns json language plpgsql as $$
declare
  b ${schema}.branches;
begin
  perform ${schema}.make_durable();
  b := ${schema}.lock_or_create(p_tenant, p_conversation, p_actor, p_branch, p_expected);
  if b.line is null then return ${schema}.why_missing(p_tenant, p_conversation, 'conflict'); end if;
  if json_array_length(p_entries) > 0 and ${schema}.has_all(b, p_entries) then
    return json_build_object('outcome', 'ok', 'head', b.head);
  end if;
  if b.open_turn is not null then return json_build_object('outcome', 'turn_open', 'open', b.open_turn); end if;
  if b.head <> p_expected then return json_build_object('outcome', 'conflict', 'head', b.head); end if;

  b.head := ${schema}.put_entries(b, 0, p_entries);
  update ${schema}.branches set head = b.head, updated_at = ${schema}.now_ms()
    where tenant = b.tenant and conversation = b.conversation and actor = b.actor and branch = b.branch;
  return json_build_object('outcome', 'ok', 'head', b.head);
end $$;

create function ${schema}.renew_lease(
  p_tenant text, p_conversation text, p_actor text, p_branch text,
  p_owner text, p_epoch integer, p_lease_ms double precision
) returns json language plpgsql as $$
declare
  until double precision;
begin
  update ${schema}.branches set lease_until = ${schema}.now_ms() + p_lease_ms
    where tenant = p_tenant and conversation = p_conversation and actor = p_actor and branch = p_branch
      and open_turn is not null and epoch = p_epoch and lease_owner = p_owner
    returning lease_until into until;
  if found then return json_build_object('outcome', 'ok', 'leaseUntil', until); end if;
  if exists (select from ${schema}.branches
    where tenant = p_tenant and conversation = p_conversation and actor = p_actor and branch = p_branch)
  then return json_build_object('outcome', 'lease_lost'); end if;
  return ${schema}.why_missing(p_tenant, p_conversation);
end $$;
`
