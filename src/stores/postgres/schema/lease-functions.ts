import { isBranch } from './fragments.ts'

export const leaseFunctions = (schema: string): string => `
-- How long a lease still holds; 0 when it has run out. Never longer than it was given for: then the clock has gone back.
create function ${schema}.held_ms(b ${schema}.branches, p_now double precision) returns double precision
language sql immutable as $$
  select greatest(0, least(b.lease_until - p_now, b.lease_ms))
$$;

-- Refuses, and says for how long. A lease from before the clock went back begins anew: whoever lives renews it, whoever
-- does not is not waited for until the clock is again where it was.
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
    where ${isBranch} and open_turn is not null and epoch = p_epoch and lease_owner = p_owner
;
  if found then return json_build_object('outcome', 'ok'); end if;
  if exists (select from ${schema}.branches where ${isBranch}) then
    return json_build_object('outcome', 'lease_lost');
  end if;
  return ${schema}.why_missing(p_key);
end $$;

-- Takes over the open turn of somebody whose lease has run out.
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
