/** Functions that delete a whole conversation, and the call records of a tenant. */
export const deleteFunctions = (schema: string): string => `
-- Where a time is given: only if nothing was written since then and nobody holds a turn.
create function ${schema}.delete_conversation(p_key uuid, p_unused_since double precision) returns boolean
language plpgsql as $$
begin
  perform ${schema}.make_durable();
  perform from ${schema}.conversations where key = p_key and deleted_at is null for update;
  if not found then return false; end if;
  -- This waits for whoever is writing, and each later statement sees what they wrote.
  perform from ${schema}.branches where key = p_key order by actor, branch for update;
  if exists (select from ${schema}.branches where key = p_key and (updated_at >= p_unused_since
    or p_unused_since is not null and open_turn is not null and lease_until > ${schema}.now_ms()))
  then return false; end if;
  update ${schema}.conversations set deleted_at = ${schema}.now_ms(), title = null, metadata = null where key = p_key;
  delete from ${schema}.branches where key = p_key;
  delete from ${schema}.entries where key = p_key;
  delete from ${schema}.turns where key = p_key;
  delete from ${schema}.calls where key = p_key;
  delete from ${schema}.caches where key = p_key;
  return true;
end $$;

create function ${schema}.delete_calls(p_tenant text, p_before double precision) returns integer
language plpgsql as $$
declare
  gone integer;
begin
  perform ${schema}.make_durable();
  delete from ${schema}.calls x using ${schema}.conversations c
    where c.tenant = p_tenant and x.key = c.key and x.time < p_before;
  get diagnostics gone = row_count;
  return gone;
end $$;
`
