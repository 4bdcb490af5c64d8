import { isBranch } from './fragments.ts'

/**
 * Functions that make and fork branches, and delete conversations and calls. Making or deleting a branch locks the
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

-- Where a time is given: only if nothing was written since then and nobody holds a turn.
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
