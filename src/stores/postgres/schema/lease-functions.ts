import { isBranch } from './fragments.ts'

/** The right to write, kept and taken over. */
export const leaseFunctions = (schema: string): string => `
create function ${schema}.renew_lease(
  p_key uuid, p_actor text, p_branch text, p_owner text, p_epoch integer, p_lease_ms double precision
) returns json language plpgsql as $$
declare
  until double precision;
begin
  update ${schema}.branches set lease_until = ${schema}.now_ms() + p_lease_ms
    where ${isBranch} and open_turn is not null and epoch = p_epoch and lease_owner = p_owner
    returning lease_until into until;
  if found then return json_build_object('outcome', 'ok', 'leaseUntil', until); end if;
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
begin
  perform ${schema}.make_durable();
  select * into b from ${schema}.branches where ${isBranch} for update;
  if b.open_turn is null then return json_build_object('outcome', 'none'); end if;
  if b.lease_until > ${schema}.now_ms() then
    return json_build_object('outcome', 'turn_open', 'open', b.open_turn);
  end if;
  update ${schema}.turns set epoch = b.epoch + 1
    where key = b.key and line = b.line and turn = b.open_turn returning * into t;
  update ${schema}.branches
    set epoch = b.epoch + 1, lease_owner = p_owner, lease_until = ${schema}.now_ms() + p_lease_ms where ${isBranch};
  return json_build_object('outcome', 'begun', 'turn', ${schema}.turn_json(t, b.head), 'epoch', t.epoch, 'head', b.head);
end $$;
`
