/**
 * Branches: made, forked, deleted with their conversation. Who makes or deletes one locks the row of the conversation
 * first, so nothing can be added to a conversation while it goes. Who only writes to a branch locks the row of the
 * branch: where it is found, the conversation has not been deleted.
 */
export const branches = (schema: string): string => `
create function ${schema}.now_ms() returns double precision language sql volatile as $$
  select floor(extract(epoch from clock_timestamp()) * 1000)::double precision
$$;

create function ${schema}.why_missing(p_tenant text, p_conversation text, p_else text default 'missing')
returns json language sql stable as $$
  select json_build_object('head', 0, 'outcome', case when exists (
    select from ${schema}.conversations
    where tenant = p_tenant and conversation = p_conversation and deleted_at is not null
  ) then 'deleted' else p_else end)
$$;

-- The branch, locked. Null where the conversation was deleted, and where a head is expected that a new branch has not.
create function ${schema}.lock_or_create(
  p_tenant text, p_conversation text, p_actor text, p_branch text, p_expected integer
) returns ${schema}.branches language plpgsql as $$
declare
  b ${schema}.branches;
  c ${schema}.conversations;
begin
  select * into b from ${schema}.branches
    where tenant = p_tenant and conversation = p_conversation and actor = p_actor and branch = p_branch for update;
  if found then return b; end if;
  if p_expected <> 0 then return null; end if;

  insert into ${schema}.conversations (tenant, conversation, created_at)
    values (p_tenant, p_conversation, ${schema}.now_ms()) on conflict do nothing;
  select * into c from ${schema}.conversations
    where tenant = p_tenant and conversation = p_conversation for update;
  if c.deleted_at is not null then return null; end if;

  -- Another writer may have made it while we waited for the conversation.
  select * into b from ${schema}.branches
    where tenant = p_tenant and conversation = p_conversation and actor = p_actor and branch = p_branch for update;
  if found then return b; end if;

  update ${schema}.conversations set lines = lines + 1
    where tenant = p_tenant and conversation = p_conversation;
  insert into ${schema}.branches (tenant, conversation, actor, branch, line, updated_at)
    values (p_tenant, p_conversation, p_actor, p_branch, c.lines + 1, ${schema}.now_ms()) returning * into b;
  return b;
end $$;

-- Whether a cut behind this place would go through a turn that is open, or through one but not before a user entry.
create function ${schema}.is_torn(b ${schema}.branches, p_at integer) returns boolean language sql stable as $$
  select exists (
    select from ${schema}.turns t
    where t.tenant = b.tenant and t.conversation = b.conversation and t.line = b.line
      and t.turn = b.open_turn and t.first <= p_at
  ) or exists (
    select from ${schema}.entries_of(b, p_at, p_at) before join ${schema}.entries_of(b, p_at + 1, p_at + 1) after
      on before.turn = after.turn
    where before.turn <> 0 and after.role <> 'user'
  )
$$;

create function ${schema}.fork_branch(
  p_tenant text, p_conversation text, p_actor text, p_branch text, p_at integer, p_fork text
) returns json language plpgsql as $$
declare
  b ${schema}.branches;
  f ${schema}.branches;
  c ${schema}.conversations;
begin
  perform ${schema}.make_durable();
  select * into c from ${schema}.conversations
    where tenant = p_tenant and conversation = p_conversation and deleted_at is null for update;
  select * into b from ${schema}.branches
    where tenant = p_tenant and conversation = p_conversation and actor = p_actor and branch = p_branch;
  if not found then return ${schema}.why_missing(p_tenant, p_conversation); end if;
  select * into f from ${schema}.branches
    where tenant = p_tenant and conversation = p_conversation and actor = p_actor and branch = p_fork;
  if found then
    return json_build_object('outcome',
      case when f.fork_of = p_branch and f.fork_at = p_at then 'ok' else 'exists' end);
  end if;
  if p_at < 0 or p_at > b.head or ${schema}.is_torn(b, p_at) then
    return json_build_object('outcome', 'no_place');
  end if;

  select coalesce(array_agg(line order by last), '{}'), coalesce(array_agg(least(last, p_at) order by last), '{}')
    into f.past_lines, f.past_ends from ${schema}.lines_of(b) where first <= p_at;
  select coalesce(max(t.turn), 0) into f.turns
    from ${schema}.lines_of(b) l join ${schema}.turns t
      on t.tenant = b.tenant and t.conversation = b.conversation and t.line = l.line
    where t.first <= least(p_at, l.last);
  update ${schema}.conversations set lines = lines + 1
    where tenant = p_tenant and conversation = p_conversation;
  insert into ${schema}.branches (tenant, conversation, actor, branch, line, head, turns, updated_at,
      fork_of, fork_at, past_lines, past_ends)
    values (p_tenant, p_conversation, p_actor, p_fork, c.lines + 1, p_at, f.turns, ${schema}.now_ms(),
      p_branch, p_at, f.past_lines, f.past_ends);
  return json_build_object('outcome', 'ok');
end $$;

create function ${schema}.delete_conversation(p_tenant text, p_conversation text) returns boolean
language plpgsql as $$
begin
  perform ${schema}.make_durable();
  update ${schema}.conversations set deleted_at = ${schema}.now_ms()
    where tenant = p_tenant and conversation = p_conversation and deleted_at is null;
  if not found then return false; end if;
  -- First the branches: this waits for whoever is writing, and each later statement sees what they wrote.
  delete from ${schema}.branches where tenant = p_tenant and conversation = p_conversation;
  delete from ${schema}.entries where tenant = p_tenant and conversation = p_conversation;
  delete from ${schema}.turns where tenant = p_tenant and conversation = p_conversation;
  delete from ${schema}.calls where tenant = p_tenant and conversation = p_conversation;
  delete from ${schema}.caches where tenant = p_tenant and conversation = p_conversation;
  return true;
end $$;
`
