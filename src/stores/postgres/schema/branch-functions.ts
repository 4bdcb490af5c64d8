import { isBranch, withPlace } from './fragments.ts'

/**
 * Functions that make and fork branches, delete conversations and calls, and erase texts. Making or deleting a branch locks the
 * conversation's row first, so nothing is added to a conversation while it is deleted. Writing to a branch locks only the
 * branch's row: as long as that row exists, the conversation was not deleted.
 */
export const branchFunctions = (schema: string): string => `
-- The branch, locked. Null where the conversation was deleted, and where a head is expected that a new branch has not.
create function ${schema}.lock_or_create(
  p_key uuid, p_actor text, p_branch text, p_tenant text, p_conversation text, p_expected integer,
  p_time double precision
) returns ${schema}.branches language plpgsql as $$
declare
  b ${schema}.branches;
  c ${schema}.conversations;
begin
  select * into b from ${schema}.branches where ${isBranch} for update;
  if found then return b; end if;
  if p_expected <> 0 then return null; end if;

  -- Not only for the key: of two writers at once the second may be stopped by the name.
  insert into ${schema}.conversations (key, created_at, tenant, conversation)
    values (p_key, p_time, p_tenant, p_conversation) on conflict do nothing;
  select * into c from ${schema}.conversations where key = p_key for update;
  if c.deleted_at is not null then return null; end if;

  -- Another writer may have made it while we waited for the conversation.
  select * into b from ${schema}.branches where ${isBranch} for update;
  if found then return b; end if;

  update ${schema}.conversations set lines = lines + 1 where key = p_key;
  insert into ${schema}.branches (key, line, updated_at, actor, branch)
    values (p_key, c.lines + 1, p_time, p_actor, p_branch) returning * into b;
  return b;
end $$;

-- Whether a cut behind this place would go through a turn that is open, or through one but not before a user entry.
create function ${schema}.is_torn(b ${schema}.branches, p_at integer) returns boolean language sql stable as $$
  select exists (
    select from ${schema}.turns t
    where t.key = b.key and t.line = b.line and t.turn = b.open_turn and t.first <= p_at
  ) or exists (
    select from ${schema}.entries_of(b, p_at, p_at) before join ${schema}.entries_of(b, p_at + 1, p_at + 1) after
      on before.turn = after.turn
    where before.turn <> 0 and after.role <> 'user'
  )
$$;

create function ${schema}.fork_branch(p_key uuid, p_actor text, p_branch text, p_at integer, p_fork text)
returns json language plpgsql as $$
declare
  b ${schema}.branches;
  f ${schema}.branches;
  c ${schema}.conversations;
begin
  perform ${schema}.make_durable();
  select * into c from ${schema}.conversations where key = p_key and deleted_at is null for update;
  select * into b from ${schema}.branches where ${isBranch};
  if not found then return ${schema}.why_missing(p_key); end if;
  select * into f from ${schema}.branches where key = p_key and actor = p_actor and branch = p_fork;
  if found then
    return json_build_object('outcome',
      case when f.fork_of = p_branch and f.fork_at = p_at then 'ok' else 'exists' end);
  end if;
  if p_at < 0 or p_at > b.head or ${schema}.is_torn(b, p_at) then
    return json_build_object('outcome', 'no_place');
  end if;

  select array_agg(line order by last), array_agg(least(last, p_at) order by last)
    into f.past_lines, f.past_ends from ${schema}.lines_of(b) where first <= p_at;
  select coalesce(max(t.turn), 0) into f.turns
    from ${schema}.lines_of(b) l join ${schema}.turns t on t.key = b.key and t.line = l.line
    where t.first <= least(p_at, l.last);
  update ${schema}.conversations set lines = lines + 1 where key = p_key;
  insert into ${schema}.branches
      (key, line, head, turns, updated_at, fork_at, actor, branch, fork_of, past_lines, past_ends)
    values (p_key, c.lines + 1, p_at, f.turns, ${schema}.now_ms(), p_at, p_actor, p_fork, p_branch,
      f.past_lines, f.past_ends);
  return json_build_object('outcome', 'ok');
end $$;

create function ${schema}.delete_calls(p_tenant text, p_before double precision) returns integer language sql as $$
  select ${schema}.make_durable();
  with gone as (
    delete from ${schema}.calls x using ${schema}.conversations c
      where c.tenant = p_tenant and x.key = c.key and x.time < p_before returning 1
  ) select count(*)::integer from gone
$$;

-- With a time: only if it was not used since then and no turn is held. Then no tombstone stays: it may be imported again.
create function ${schema}.delete_conversation(p_key uuid, p_unused_since double precision) returns boolean
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

-- Words of an entry that waits for the index have no row, and are read later.
create function ${schema}.erase_entry(
  p_key uuid, p_actor text, p_branch text, p_seq integer, p_checksum bigint, p_tokens text, p_payload text, p_words integer[]
) returns json language plpgsql as $$
declare
  b ${schema}.branches;
  e ${schema}.entries;
begin
  perform ${schema}.make_durable();
  perform from ${schema}.branches where key = p_key and actor = p_actor order by branch for update;
  select * into b from ${schema}.branches where ${isBranch};
  if not found then return ${schema}.why_missing(p_key); end if;
  select * into e from ${schema}.entries_of(b, p_seq, p_seq);
  update ${schema}.entries set payload = p_payload, tokens = p_tokens,
      checksum = ${withPlace('p_checksum', 'seq', 'turn')}
    where key = e.key and line = e.line and seq = e.seq;
  update ${schema}.words set words = p_words where key = e.key and line = e.line and seq = e.seq;
  delete from ${schema}.caches c using ${schema}.branches x
    where x.key = p_key and x.actor = p_actor and c.key = x.key and c.line = x.line;
  delete from ${schema}.calls c using ${schema}.branches x
    where x.key = p_key and x.actor = p_actor and c.key = x.key and c.line = x.line and c.turn >= e.turn;
  return json_build_object('outcome', 'ok', 'head', b.head);
end $$;
`
