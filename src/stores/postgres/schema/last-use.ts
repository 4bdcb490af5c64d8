/** Keeps when conversations were last used, which retention goes by. What it deletes may be imported again: no tombstone stays. */
export const addLastUse = (schema: string): string => `
alter table ${schema}.conversations add column last_use double precision;

create or replace function ${schema}.delete_conversation(p_key uuid, p_unused_since double precision) returns boolean
language plpgsql as $$
begin
  perform ${schema}.make_durable();
  perform from ${schema}.conversations where key = p_key and deleted_at is null for update;
  if not found then return false; end if;
  -- This waits for other writers, and each later statement sees what they wrote.
  perform from ${schema}.branches where key = p_key order by actor, branch for update;
  if exists (select from ${schema}.conversations where key = p_key and last_use >= p_unused_since)
    or exists (select from ${schema}.branches where key = p_key and (updated_at >= p_unused_since
    or p_unused_since is not null and open_turn is not null and lease_until > ${schema}.now_ms()))
  then return false; end if;
  update ${schema}.conversations set deleted_at = ${schema}.now_ms(), title = null, metadata = null, person = null, last_use = null
    where key = p_key;
  delete from ${schema}.branches where key = p_key;
  delete from ${schema}.entries where key = p_key;
  delete from ${schema}.turns where key = p_key;
  delete from ${schema}.calls where key = p_key;
  delete from ${schema}.caches where key = p_key;
  delete from ${schema}.marks where key = p_key;
  -- Only now: no entry can go without the tombstone.
  if p_unused_since is not null then delete from ${schema}.conversations where key = p_key; end if;
  return true;
end $$;
`
