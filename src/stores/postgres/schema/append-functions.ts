import { isBranch, planOnce, putEntries } from './fragments.ts'

export const appendFunctions = (schema: string): string => `
-- Goes on with a turn; ends it where a status is given. One update finds the branch, locks it, asks for lease and head,
-- and moves the head on: what nearly always holds costs one look.
create function ${schema}.append_entries(
  p_key uuid, p_actor text, p_branch text,
  p_owner text, p_epoch integer, p_expected integer, p_status text, p_error text, p_count integer, p_entries json
) returns json language plpgsql ${planOnce} as $$
declare
  b ${schema}.branches;
  is_durable boolean := ${schema}.make_durable();
  refusal json;
  added integer;
begin
  loop
    update ${schema}.branches set head = head + p_count, updated_at = ${schema}.now_ms()
      where ${isBranch} and head = p_expected and epoch = p_epoch and lease_owner = p_owner and open_turn is not null
      returning * into b;
    exit when found;
    refusal := ${schema}.why_not_appended(p_key, p_actor, p_branch, p_owner, p_epoch, p_expected, p_entries, p_status);
    -- Nothing speaks against it any more: somebody was in the way only for a moment.
    if refusal is not null then return refusal; end if;
  end loop;
  ${putEntries(schema, 'p_expected', 'b.open_turn', 'p_entries')}
  get diagnostics added = row_count;
  if added < p_count then
    update ${schema}.branches set head = p_expected + added where ${isBranch};
  end if;
  if p_status is not null then
    update ${schema}.turns set status = p_status::${schema}.turn_status, error = p_error, last = p_expected + added,
        ended_at = b.updated_at
      where key = b.key and line = b.line and turn = b.open_turn;
    update ${schema}.branches set open_turn = null, lease_owner = null, lease_until = null, lease_ms = null where ${isBranch};
  end if;
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

  -- Somebody asks again because the answer got lost: all of it is there.
  if ${schema}.has_all(b, p_entries) and (p_status is null and json_array_length(p_entries) > 0 or exists (
    select from ${schema}.turns
      where key = b.key and line = b.line and epoch = p_epoch and status = p_status::${schema}.turn_status
  )) then
    return json_build_object('outcome', 'ok', 'head', b.head);
  end if;
  if b.open_turn is null or b.epoch <> p_epoch or b.lease_owner <> p_owner then
    return json_build_object('outcome', 'lease_lost');
  end if;
  if b.head <> p_expected then return json_build_object('outcome', 'conflict', 'head', b.head); end if;
  return null;
end $$;
`
