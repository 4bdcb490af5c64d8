-- The schema of number 4 as it was, with functions and triggers. Never changed: later builds must take it along.
create schema schema_4;
create type schema_4.role as enum ('system', 'user', 'assistant', 'tool', 'assistant_note');
create type schema_4.turn_status as enum ('open', 'completed', 'failed', 'cancelled', 'interrupted');
create type schema_4.call_status as enum ('sent', 'completed', 'failed', 'cancelled');

create table schema_4.conversations (
  key uuid not null,
  created_at double precision not null,
  deleted_at double precision,
  -- When it was last used, which retention goes by.
  last_use double precision,
  lines integer not null default 0,
  tenant text collate "C" not null,
  conversation text collate "C" not null,
  title text,
  -- JSON, as text for the same reason as payloads.
  metadata text,
  person text collate "C",
  constraint conversations_keys primary key (key),
  constraint conversations_names unique (tenant, conversation)
);
create index conversations_person on schema_4.conversations (tenant, person) where person is not null;

-- Every append updates the head: room in the page keeps these updates out of the index.
create table schema_4.branches (
  key uuid not null,
  line integer not null,
  head integer not null default 0,
  turns integer not null default 0,
  epoch integer not null default 0,
  updated_at double precision not null,
  lease_until double precision,
  lease_ms double precision,
  open_turn integer,
  -- The place after which the branch has entries that are not indexed; null when it has none. Appends leave it as it is, so
  -- they stay out of its index.
  waiting_after integer,
  fork_at integer,
  actor text collate "C" not null,
  branch text collate "C" not null,
  lease_owner text,
  fork_of text,
  -- The shared past, oldest first: which lines, and the last place taken from each.
  past_lines integer[],
  past_ends integer[],
  constraint branches_names primary key (key, actor, branch)
) with (fillfactor = 50);
create index branches_waiting on schema_4.branches (key) where waiting_after is not null;

-- The last place of an open turn is the head of its branch: only the end writes it down.
create table schema_4.turns (
  key uuid not null,
  line integer not null,
  turn integer not null,
  first integer not null,
  last integer,
  -- The lease that ends it; 0 when another writer has closed it, or it was restored.
  epoch integer not null,
  status schema_4.turn_status not null,
  started_at double precision not null,
  ended_at double precision,
  error text,
  idempotency_key text collate "C",
  body text,
  constraint turns_numbers primary key (key, line, turn)
) with (fillfactor = 80);
create unique index turns_once on schema_4.turns (key, line, idempotency_key) where idempotency_key is not null;

create table schema_4.entries (
  time double precision not null,
  line integer not null,
  seq integer not null,
  turn integer not null,
  role schema_4.role not null,
  key uuid not null,
  id text collate "C" not null,
  checksum bigint not null,
  tokens text not null,
  payload text not null,
  constraint entries_places primary key (key, line, seq),
  constraint entries_ids unique (key, line, id)
);

create table schema_4.calls (
  place bigint generated always as identity,
  time double precision not null,
  line integer not null,
  turn integer not null,
  predicted double precision not null,
  reported double precision,
  status schema_4.call_status not null,
  key uuid not null,
  id text collate "C" not null,
  model text not null,
  plan text not null,
  error text,
  checksum bigint not null,
  constraint calls_ids primary key (key, line, id)
);
create index calls_latest on schema_4.calls (key, line, place);

create table schema_4.caches (
  key uuid not null,
  line integer not null,
  at integer not null,
  cache text collate "C" not null,
  checksum bigint not null,
  bytes bytea not null,
  constraint caches_names primary key (key, line, cache)
);

-- A mark is the hash of tenant and text, like the key of a conversation.
create table schema_4.marks (
  place bigint generated always as identity,
  mark uuid not null,
  key uuid not null,
  line integer not null,
  at integer not null,
  constraint marks_places primary key (key, line, mark, at)
);
create index marks_found on schema_4.marks (mark, place);

-- Hashes of tenant and word (word-hashes.ts), and the time of the entry: search finds the newest without looking at entries.
-- They are written after the entry was stored, so that its writer does not wait for them. An entry without words has no row.
create table schema_4.words (
  time double precision not null,
  key uuid not null,
  line integer not null,
  seq integer not null,
  words integer[] not null,
  constraint words_places primary key (key, line, seq)
);
-- A short list of what waits for the index: a long one takes more room, and a writer that finds it full has to wait.
create index words_found on schema_4.words using gin (words) with (gin_pending_list_limit = 512);

create function schema_4.mark_waiting() returns trigger language plpgsql as $$
begin
  new.waiting_after := old.head;
  return new;
end $$;

create trigger branches_wait before update of head on schema_4.branches
  for each row when (new.head > old.head and new.waiting_after is null) execute function schema_4.mark_waiting();

create function schema_4.forget_words() returns trigger language plpgsql as $$
begin
  delete from schema_4.words where key = old.key and line = old.line;
  return null;
end $$;

create trigger branches_forget after delete on schema_4.branches
  for each row execute function schema_4.forget_words();

-- The key of a conversation, for people at the database. conversation-key.ts computes the same bytes for the store.
create function schema_4.key_of(p_tenant text, p_conversation text) returns uuid language sql stable as $$
  select encode(substring(sha256(convert_to(
    octet_length(p_tenant) || ':' || p_tenant || p_conversation, 'UTF8')) for 16), 'hex')::uuid
$$;

-- Refuses every change of the log: entries are only deleted with their conversation, or erased: then the payload becomes a mark.
create function schema_4.refuse_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and exists (
    select from schema_4.conversations c where c.key = old.key and c.deleted_at is not null
  ) then
    return old;
  end if;
  if tg_op = 'UPDATE' and starts_with(new.payload, '{"erased":true')
    and (new.key, new.line, new.seq, new.id, new.turn, new.role, new.time)
      = (old.key, old.line, old.seq, old.id, old.turn, old.role, old.time)
  then
    return new;
  end if;
  raise exception 'the log is append-only: % of an entry is refused', tg_op
    using errcode = 'restrict_violation', hint = 'Delete the conversation as a whole.';
end $$;

create trigger entries_append_only before update or delete on schema_4.entries
  for each row execute function schema_4.refuse_change();

create trigger entries_not_truncated before truncate on schema_4.entries
  for each statement execute function schema_4.refuse_change();


create function schema_4.now_ms() returns double precision language sql volatile as $$
  select floor(extract(epoch from clock_timestamp()) * 1000)::double precision
$$;

-- A database that is told to acknowledge before it has written is told otherwise, for this transaction.
create function schema_4.make_durable() returns boolean language plpgsql as $$
begin
  if current_setting('synchronous_commit') = 'off' then
    perform set_config('synchronous_commit', 'on', true);
  end if;
  return true;
end $$;

create function schema_4.why_missing(p_key uuid, p_else text default 'missing') returns json
language sql stable as $$
  select json_build_object('head', 0, 'outcome', case when exists (
    select from schema_4.conversations where key = p_key and deleted_at is not null
  ) then 'deleted' else p_else end)
$$;

-- Its shared past and itself, oldest first: the line, and the places that it gives.
create function schema_4.lines_of(b schema_4.branches)
returns table (line integer, first integer, last integer) language sql stable as $$
  select u.line, coalesce(lag(u.last) over (order by u.n), 0) + 1, u.last
  from unnest(b.past_lines || b.line, b.past_ends || b.head) with ordinality u (line, last, n)
$$;

create function schema_4.entries_of(b schema_4.branches, p_from integer, p_to integer)
returns setof schema_4.entries language sql stable as $$
  select e.* from schema_4.lines_of(b) l join schema_4.entries e
    on e.key = b.key and e.line = l.line and e.seq between greatest(l.first, p_from) and least(l.last, p_to)
$$;

-- The shared past brings its turns, cut where it ends, without their idempotency keys.
create function schema_4.turns_of(b schema_4.branches) returns setof schema_4.turns language sql stable as $$
  select t.key, t.line, t.turn, t.first, least(coalesce(t.last, b.head), l.last), t.epoch, t.status, t.started_at,
    t.ended_at, t.error, case when t.line = b.line then t.idempotency_key end, case when t.line = b.line then t.body end
  from schema_4.lines_of(b) l join schema_4.turns t on t.key = b.key and t.line = l.line
  where t.line = b.line or t.first <= l.last
$$;

-- Whether all of them are there already.
create function schema_4.has_all(b schema_4.branches, p_entries json) returns boolean language sql stable as $$
  select count(*) = 0 from json_to_recordset(p_entries) as e (id text)
  where not exists (
    select from schema_4.lines_of(b) p where (select case when (x.key, x.line, x.id) = (b.key, p.line, e.id) then x.seq end from schema_4.entries x
    where (x.key, x.line, x.id) >= (b.key, p.line, e.id) order by x.key, x.line, x.id limit 1) <= p.last
  )
$$;

create function schema_4.turn_json(t schema_4.turns, p_head integer) returns json language sql immutable as $$
  select json_build_object('turn', t.turn, 'status', t.status, 'first', t.first, 'last', coalesce(t.last, p_head),
    'startedAt', t.started_at, 'endedAt', t.ended_at, 'error', t.error, 'key', t.idempotency_key, 'body', t.body)
$$;


-- The branch, locked. Null where the conversation was deleted, and where a head is expected that a new branch has not.
create function schema_4.lock_or_create(
  p_key uuid, p_actor text, p_branch text, p_tenant text, p_conversation text, p_expected integer,
  p_time double precision
) returns schema_4.branches language plpgsql as $$
declare
  b schema_4.branches;
  c schema_4.conversations;
begin
  select * into b from schema_4.branches where key = p_key and actor = p_actor and branch = p_branch for update;
  if found then return b; end if;
  if p_expected <> 0 then return null; end if;

  -- Not only for the key: of two writers at once the second may be stopped by the name.
  insert into schema_4.conversations (key, created_at, tenant, conversation)
    values (p_key, p_time, p_tenant, p_conversation) on conflict do nothing;
  select * into c from schema_4.conversations where key = p_key for update;
  if c.deleted_at is not null then return null; end if;

  -- Another writer may have made it while we waited for the conversation.
  select * into b from schema_4.branches where key = p_key and actor = p_actor and branch = p_branch for update;
  if found then return b; end if;

  update schema_4.conversations set lines = lines + 1 where key = p_key;
  insert into schema_4.branches (key, line, updated_at, actor, branch)
    values (p_key, c.lines + 1, p_time, p_actor, p_branch) returning * into b;
  return b;
end $$;

-- Whether a cut behind this place would go through a turn that is open, or through one but not before a user entry.
create function schema_4.is_torn(b schema_4.branches, p_at integer) returns boolean language sql stable as $$
  select exists (
    select from schema_4.turns t
    where t.key = b.key and t.line = b.line and t.turn = b.open_turn and t.first <= p_at
  ) or exists (
    select from schema_4.entries_of(b, p_at, p_at) before join schema_4.entries_of(b, p_at + 1, p_at + 1) after
      on before.turn = after.turn
    where before.turn <> 0 and after.role <> 'user'
  )
$$;

create function schema_4.fork_branch(p_key uuid, p_actor text, p_branch text, p_at integer, p_fork text)
returns json language plpgsql as $$
declare
  b schema_4.branches;
  f schema_4.branches;
  c schema_4.conversations;
begin
  perform schema_4.make_durable();
  select * into c from schema_4.conversations where key = p_key and deleted_at is null for update;
  select * into b from schema_4.branches where key = p_key and actor = p_actor and branch = p_branch;
  if not found then return schema_4.why_missing(p_key); end if;
  select * into f from schema_4.branches where key = p_key and actor = p_actor and branch = p_fork;
  if found then
    return json_build_object('outcome',
      case when f.fork_of = p_branch and f.fork_at = p_at then 'ok' else 'exists' end);
  end if;
  if p_at < 0 or p_at > b.head or schema_4.is_torn(b, p_at) then
    return json_build_object('outcome', 'no_place');
  end if;

  select array_agg(line order by last), array_agg(least(last, p_at) order by last)
    into f.past_lines, f.past_ends from schema_4.lines_of(b) where first <= p_at;
  select coalesce(max(t.turn), 0) into f.turns
    from schema_4.lines_of(b) l join schema_4.turns t on t.key = b.key and t.line = l.line
    where t.first <= least(p_at, l.last);
  update schema_4.conversations set lines = lines + 1 where key = p_key;
  insert into schema_4.branches
      (key, line, head, turns, updated_at, fork_at, actor, branch, fork_of, past_lines, past_ends)
    values (p_key, c.lines + 1, p_at, f.turns, schema_4.now_ms(), p_at, p_actor, p_fork, p_branch,
      f.past_lines, f.past_ends);
  return json_build_object('outcome', 'ok');
end $$;

create function schema_4.delete_calls(p_tenant text, p_before double precision) returns integer language sql as $$
  select schema_4.make_durable();
  with gone as (
    delete from schema_4.calls x using schema_4.conversations c
      where c.tenant = p_tenant and x.key = c.key and x.time < p_before returning 1
  ) select count(*)::integer from gone
$$;

-- With a time: only if it was not used since then and no turn is held. Then no tombstone stays: it may be imported again.
create function schema_4.delete_conversation(p_key uuid, p_unused_since double precision) returns boolean
language plpgsql as $$
begin
  perform schema_4.make_durable();
  perform from schema_4.conversations where key = p_key and deleted_at is null for update;
  if not found then return false; end if;
  -- This waits for other writers, and each later statement sees what they wrote.
  perform from schema_4.branches where key = p_key order by actor, branch for update;
  if exists (select from schema_4.conversations where key = p_key and last_use >= p_unused_since)
    or exists (select from schema_4.branches where key = p_key and (updated_at >= p_unused_since
    or p_unused_since is not null and open_turn is not null and lease_until > schema_4.now_ms()))
  then return false; end if;
  update schema_4.conversations set deleted_at = schema_4.now_ms(), title = null, metadata = null, person = null, last_use = null
    where key = p_key;
  delete from schema_4.branches where key = p_key;
  delete from schema_4.entries where key = p_key;
  delete from schema_4.turns where key = p_key;
  delete from schema_4.calls where key = p_key;
  delete from schema_4.caches where key = p_key;
  delete from schema_4.marks where key = p_key;
  -- Only now: no entry can go without the tombstone.
  if p_unused_since is not null then delete from schema_4.conversations where key = p_key; end if;
  return true;
end $$;

-- Words of an entry that waits for the index have no row, and are read later.
create function schema_4.erase_entry(
  p_key uuid, p_actor text, p_branch text, p_seq integer, p_checksum bigint, p_tokens text, p_payload text, p_words integer[]
) returns json language plpgsql as $$
declare
  b schema_4.branches;
  e schema_4.entries;
begin
  perform schema_4.make_durable();
  perform from schema_4.branches where key = p_key and actor = p_actor order by branch for update;
  select * into b from schema_4.branches where key = p_key and actor = p_actor and branch = p_branch;
  if not found then return schema_4.why_missing(p_key); end if;
  select * into e from schema_4.entries_of(b, p_seq, p_seq);
  update schema_4.entries set payload = p_payload, tokens = p_tokens,
      checksum = p_checksum + 31 * (seq)::bigint + 1009 * (turn)::bigint
    where key = e.key and line = e.line and seq = e.seq;
  update schema_4.words set words = p_words where key = e.key and line = e.line and seq = e.seq;
  delete from schema_4.caches c using schema_4.branches x
    where x.key = p_key and x.actor = p_actor and c.key = x.key and c.line = x.line;
  delete from schema_4.calls c using schema_4.branches x
    where x.key = p_key and x.actor = p_actor and c.key = x.key and c.line = x.line and c.turn >= e.turn;
  return json_build_object('outcome', 'ok', 'head', b.head);
end $$;


create function schema_4.begin_turn(
  p_key uuid, p_actor text, p_branch text, p_tenant text, p_conversation text,
  p_owner text, p_lease_ms double precision, p_expected integer, p_once text, p_body text,
  p_closing json, p_closing_status text, p_closing_error text, p_entries json, p_marks json default null
) returns json language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  b schema_4.branches;
  t schema_4.turns;
  is_replay boolean;
  now double precision;
  added integer;
begin
  perform schema_4.make_durable();
  b := schema_4.lock_or_create(p_key, p_actor, p_branch, p_tenant, p_conversation, p_expected, schema_4.now_ms());
  if b.line is null then return schema_4.why_missing(p_key, 'conflict'); end if;
  now := schema_4.now_ms();

  -- The owner of the open turn asks for the same again: its answer got lost.
  if b.open_turn is not null and b.lease_owner = p_owner and schema_4.is_begun(b, p_once, p_body, p_entries) then
    update schema_4.branches set lease_until = now + p_lease_ms, lease_ms = p_lease_ms where key = p_key and actor = p_actor and branch = p_branch;
    select * into t from schema_4.turns where key = b.key and line = b.line and turn = b.open_turn;
    return json_build_object('outcome', 'begun', 'turn', schema_4.turn_json(t, b.head), 'epoch', b.epoch, 'head', b.head);
  end if;

  if p_once is not null then
    -- In the order of the index of keys, for the reason given at placeOf in fragments.ts.
    select * into t from schema_4.turns
      where idempotency_key is not null and (key, line, idempotency_key) >= (b.key, b.line, p_once)
      order by key, line, idempotency_key limit 1;
    is_replay := (t.key, t.line, t.idempotency_key) = (b.key, b.line, p_once);
    if is_replay and t.body is distinct from p_body then return json_build_object('outcome', 'key_reused'); end if;
    if is_replay then return json_build_object('outcome', 'replayed', 'turn', schema_4.turn_json(t, b.head), 'head', b.head); end if;
  end if;

  if b.open_turn is not null and b.lease_until > now then
    return schema_4.turn_open(b, now);
  end if;
  if p_expected is not null and p_expected <> b.head then
    return json_build_object('outcome', 'conflict', 'head', b.head);
  end if;

  if b.open_turn is not null then
    
  insert into schema_4.entries (time, line, seq, turn, role, key, id, checksum, tokens, payload)
    select e.time, b.line, b.head + row_number() over (order by e.n), b.open_turn, e.role, b.key, e.id,
      e.checksum + 31 * (b.head + row_number() over (order by e.n))::bigint + 1009 * (b.open_turn)::bigint, e.tokens, e.payload
    from rows from (json_to_recordset(p_closing)
      as (id text, role schema_4.role, time double precision, checksum bigint, tokens text, payload text))
      with ordinality e (id, role, time, checksum, tokens, payload, n)
    where (select case when (x.key, x.line, x.id) = (b.key, b.line, e.id) then x.seq end from schema_4.entries x
    where (x.key, x.line, x.id) >= (b.key, b.line, e.id) order by x.key, x.line, x.id limit 1) is null
      and (b.fork_of is null or not exists (
        select from unnest(b.past_lines, b.past_ends) p (line, last) where (select case when (x.key, x.line, x.id) = (b.key, p.line, e.id) then x.seq end from schema_4.entries x
    where (x.key, x.line, x.id) >= (b.key, p.line, e.id) order by x.key, x.line, x.id limit 1) <= p.last
      ));
  get diagnostics added = row_count;
    b.head := b.head + added;
    update schema_4.turns set status = p_closing_status::schema_4.turn_status, error = p_closing_error, epoch = 0,
        last = b.head, ended_at = now
      where key = b.key and line = b.line and turn = b.open_turn;
  end if;

  insert into schema_4.turns (key, line, turn, status, first, epoch, started_at, idempotency_key, body)
    values (b.key, b.line, b.turns + 1, 'open', b.head + 1, b.epoch + 1, now, p_once, p_body)
    returning * into t;
  
  insert into schema_4.entries (time, line, seq, turn, role, key, id, checksum, tokens, payload)
    select e.time, b.line, b.head + row_number() over (order by e.n), t.turn, e.role, b.key, e.id,
      e.checksum + 31 * (b.head + row_number() over (order by e.n))::bigint + 1009 * (t.turn)::bigint, e.tokens, e.payload
    from rows from (json_to_recordset(p_entries)
      as (id text, role schema_4.role, time double precision, checksum bigint, tokens text, payload text))
      with ordinality e (id, role, time, checksum, tokens, payload, n)
    where (select case when (x.key, x.line, x.id) = (b.key, b.line, e.id) then x.seq end from schema_4.entries x
    where (x.key, x.line, x.id) >= (b.key, b.line, e.id) order by x.key, x.line, x.id limit 1) is null
      and (b.fork_of is null or not exists (
        select from unnest(b.past_lines, b.past_ends) p (line, last) where (select case when (x.key, x.line, x.id) = (b.key, p.line, e.id) then x.seq end from schema_4.entries x
    where (x.key, x.line, x.id) >= (b.key, p.line, e.id) order by x.key, x.line, x.id limit 1) <= p.last
      ));
  get diagnostics added = row_count;
  b.head := b.head + added;
  update schema_4.branches
    set head = b.head, turns = t.turn, open_turn = t.turn, epoch = t.epoch, updated_at = greatest(updated_at, now),
      lease_owner = p_owner, lease_until = now + p_lease_ms, lease_ms = p_lease_ms
    where key = p_key and actor = p_actor and branch = p_branch;
  
  if p_marks is not null then
    insert into schema_4.marks (key, line, mark, at)
      select b.key, b.line, m.mark, t.first - 1 + m.at from json_to_recordset(p_marks) m (mark uuid, at integer)
    on conflict do nothing;
  end if;
  return json_build_object('outcome', 'begun', 'turn', schema_4.turn_json(t, b.head), 'epoch', t.epoch, 'head', b.head);
end $$;

-- Whether the open turn began with this key, body and entries: all of them are stored, and one of them in this turn.
create function schema_4.is_begun(b schema_4.branches, p_once text, p_body text, p_entries json) returns boolean
language sql stable as $$
  select schema_4.has_all(b, p_entries) and exists (
    select from schema_4.turns t where t.key = b.key and t.line = b.line and t.turn = b.open_turn
      and (t.idempotency_key, t.body) is not distinct from (p_once, p_body)
      and exists (select from json_to_recordset(p_entries) as e (id text) where (select case when (x.key, x.line, x.id) = (b.key, b.line, e.id) then x.seq end from schema_4.entries x
    where (x.key, x.line, x.id) >= (b.key, b.line, e.id) order by x.key, x.line, x.id limit 1) >= t.first)
  )
$$;

create function schema_4.seed_entries(
  p_key uuid, p_actor text, p_branch text, p_tenant text, p_conversation text, p_expected integer, p_entries json
) returns json language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  b schema_4.branches;
  added integer;
begin
  perform schema_4.make_durable();
  b := schema_4.lock_or_create(p_key, p_actor, p_branch, p_tenant, p_conversation, p_expected, schema_4.now_ms());
  if b.line is null then return schema_4.why_missing(p_key, 'conflict'); end if;
  if json_array_length(p_entries) > 0 and schema_4.has_all(b, p_entries) then
    return json_build_object('outcome', 'ok', 'head', b.head);
  end if;
  if b.open_turn is not null then return schema_4.turn_open(b, schema_4.now_ms()); end if;
  if b.head <> p_expected then return json_build_object('outcome', 'conflict', 'head', b.head); end if;

  
  insert into schema_4.entries (time, line, seq, turn, role, key, id, checksum, tokens, payload)
    select e.time, b.line, b.head + row_number() over (order by e.n), 0, e.role, b.key, e.id,
      e.checksum + 31 * (b.head + row_number() over (order by e.n))::bigint + 1009 * (0)::bigint, e.tokens, e.payload
    from rows from (json_to_recordset(p_entries)
      as (id text, role schema_4.role, time double precision, checksum bigint, tokens text, payload text))
      with ordinality e (id, role, time, checksum, tokens, payload, n)
    where (select case when (x.key, x.line, x.id) = (b.key, b.line, e.id) then x.seq end from schema_4.entries x
    where (x.key, x.line, x.id) >= (b.key, b.line, e.id) order by x.key, x.line, x.id limit 1) is null
      and (b.fork_of is null or not exists (
        select from unnest(b.past_lines, b.past_ends) p (line, last) where (select case when (x.key, x.line, x.id) = (b.key, p.line, e.id) then x.seq end from schema_4.entries x
    where (x.key, x.line, x.id) >= (b.key, p.line, e.id) order by x.key, x.line, x.id limit 1) <= p.last
      ));
  get diagnostics added = row_count;
  update schema_4.branches set head = b.head + added, updated_at = greatest(updated_at, schema_4.now_ms()) where key = p_key and actor = p_actor and branch = p_branch;
  return json_build_object('outcome', 'ok', 'head', b.head + added);
end $$;

-- Goes on with a turn; ends it where a status is given. One update finds the branch, locks it, asks for lease and head,
-- and moves the head on: what nearly always holds costs one look.
create function schema_4.append_entries(
  p_key uuid, p_actor text, p_branch text,
  p_owner text, p_epoch integer, p_expected integer, p_status text, p_error text, p_count integer, p_entries json,
  p_call json default null, p_marks json default null
) returns json language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  b schema_4.branches;
  is_durable boolean := schema_4.make_durable();
  refusal json;
  added integer;
begin
  loop
    update schema_4.branches set head = head + p_count, updated_at = greatest(updated_at, schema_4.now_ms())
      where key = p_key and actor = p_actor and branch = p_branch and head = p_expected and epoch = p_epoch and lease_owner = p_owner and open_turn is not null
      returning * into b;
    exit when found;
    refusal := schema_4.why_not_appended(p_key, p_actor, p_branch, p_owner, p_epoch, p_expected, p_entries, p_status);
    -- Nothing speaks against it any more: another writer was in the way only for a moment.
    if refusal is not null then return refusal; end if;
  end loop;
  
  insert into schema_4.entries (time, line, seq, turn, role, key, id, checksum, tokens, payload)
    select e.time, b.line, p_expected + row_number() over (order by e.n), b.open_turn, e.role, b.key, e.id,
      e.checksum + 31 * (p_expected + row_number() over (order by e.n))::bigint + 1009 * (b.open_turn)::bigint, e.tokens, e.payload
    from rows from (json_to_recordset(p_entries)
      as (id text, role schema_4.role, time double precision, checksum bigint, tokens text, payload text))
      with ordinality e (id, role, time, checksum, tokens, payload, n)
    where (select case when (x.key, x.line, x.id) = (b.key, b.line, e.id) then x.seq end from schema_4.entries x
    where (x.key, x.line, x.id) >= (b.key, b.line, e.id) order by x.key, x.line, x.id limit 1) is null
      and (b.fork_of is null or not exists (
        select from unnest(b.past_lines, b.past_ends) p (line, last) where (select case when (x.key, x.line, x.id) = (b.key, p.line, e.id) then x.seq end from schema_4.entries x
    where (x.key, x.line, x.id) >= (b.key, p.line, e.id) order by x.key, x.line, x.id limit 1) <= p.last
      ));
  get diagnostics added = row_count;
  if added < p_count then
    update schema_4.branches set head = p_expected + added where key = p_key and actor = p_actor and branch = p_branch;
  end if;
  -- All of it was stored before: the rest of it too.
  if added = 0 and p_count > 0 and p_status is null then
    return json_build_object('outcome', 'ok', 'head', p_expected);
  end if;
  if p_status is not null then
    update schema_4.turns set status = p_status::schema_4.turn_status, error = p_error, last = p_expected + added,
        ended_at = schema_4.now_ms()
      where key = b.key and line = b.line and turn = b.open_turn;
    update schema_4.branches set open_turn = null, lease_owner = null, lease_until = null, lease_ms = null where key = p_key and actor = p_actor and branch = p_branch;
  end if;
  if p_call is not null then
    insert into schema_4.calls (key, line, id, turn, time, model, plan, predicted, reported, status, error, checksum)
      select b.key, b.line, c.* from json_to_record(p_call) c (id text, turn integer, time double precision, model text,
        plan text, predicted double precision, reported double precision, status schema_4.call_status, error text,
        checksum bigint)
    on conflict (key, line, id) do update set turn = excluded.turn, time = excluded.time, model = excluded.model, plan = excluded.plan, predicted = excluded.predicted, reported = excluded.reported, status = excluded.status, error = excluded.error, checksum = excluded.checksum;
  end if;
  
  if p_marks is not null then
    insert into schema_4.marks (key, line, mark, at)
      select b.key, b.line, m.mark, p_expected + m.at from json_to_recordset(p_marks) m (mark uuid, at integer)
    on conflict do nothing;
  end if;
  return json_build_object('outcome', 'ok', 'head', p_expected + added);
end $$;

create function schema_4.why_not_appended(
  p_key uuid, p_actor text, p_branch text,
  p_owner text, p_epoch integer, p_expected integer, p_entries json, p_status text
) returns json language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  b schema_4.branches;
begin
  select * into b from schema_4.branches where key = p_key and actor = p_actor and branch = p_branch for update;
  if not found then return schema_4.why_missing(p_key); end if;

  -- The caller asks again because the answer got lost: all of it is there.
  if schema_4.has_all(b, p_entries) and (p_status is null and json_array_length(p_entries) > 0 or exists (
    select from schema_4.turns
      where key = b.key and line = b.line and epoch = nullif(p_epoch, 0) and status = p_status::schema_4.turn_status
  )) then
    return json_build_object('outcome', 'ok', 'head', b.head);
  end if;
  if b.open_turn is null or b.epoch <> p_epoch or b.lease_owner <> p_owner then
    return json_build_object('outcome', 'lease_lost');
  end if;
  if b.head <> p_expected then return json_build_object('outcome', 'conflict', 'head', b.head); end if;
  return null;
end $$;

-- How long a lease still holds; 0 when it has run out. Never longer than it was given for: then the clock has gone back.
create function schema_4.held_ms(b schema_4.branches, p_now double precision) returns double precision
language sql immutable as $$
  select greatest(0, least(b.lease_until - p_now, b.lease_ms))
$$;

-- Refuses, and says for how long. After the clock went back a lease begins anew: a living holder renews it, a dead one is not waited for.
create function schema_4.turn_open(b schema_4.branches, p_now double precision) returns json language plpgsql as $$
begin
  if b.lease_until > p_now + b.lease_ms then
    update schema_4.branches set lease_until = p_now + b.lease_ms
      where key = b.key and actor = b.actor and branch = b.branch;
  end if;
  return json_build_object('outcome', 'turn_open', 'open', b.open_turn, 'heldMs', schema_4.held_ms(b, p_now));
end $$;

create function schema_4.renew_lease(
  p_key uuid, p_actor text, p_branch text, p_owner text, p_epoch integer, p_lease_ms double precision
) returns json language plpgsql as $$
begin
  update schema_4.branches set lease_until = schema_4.now_ms() + p_lease_ms, lease_ms = p_lease_ms
    where key = p_key and actor = p_actor and branch = p_branch and open_turn is not null and epoch = p_epoch and lease_owner = p_owner;
  if found then return json_build_object('outcome', 'ok'); end if;
  if exists (select from schema_4.branches where key = p_key and actor = p_actor and branch = p_branch) then
    return json_build_object('outcome', 'lease_lost');
  end if;
  return schema_4.why_missing(p_key);
end $$;

-- Takes over the open turn of a holder whose lease has run out.
create function schema_4.resume_turn(
  p_key uuid, p_actor text, p_branch text, p_owner text, p_lease_ms double precision
) returns json language plpgsql as $$
declare
  b schema_4.branches;
  t schema_4.turns;
  now double precision;
begin
  perform schema_4.make_durable();
  select * into b from schema_4.branches where key = p_key and actor = p_actor and branch = p_branch for update;
  if b.open_turn is null then return json_build_object('outcome', 'none'); end if;
  now := schema_4.now_ms();
  if b.lease_until > now then return schema_4.turn_open(b, now); end if;
  update schema_4.turns set epoch = b.epoch + 1
    where key = b.key and line = b.line and turn = b.open_turn returning * into t;
  update schema_4.branches
    set epoch = b.epoch + 1, lease_owner = p_owner, lease_until = now + p_lease_ms, lease_ms = p_lease_ms
    where key = p_key and actor = p_actor and branch = p_branch;
  return json_build_object('outcome', 'begun', 'turn', schema_4.turn_json(t, b.head), 'epoch', t.epoch, 'head', b.head);
end $$;


create function schema_4.restore_entries(
  p_key uuid, p_actor text, p_branch text, p_tenant text, p_conversation text,
  p_fork_of text, p_fork_at integer, p_from integer, p_time double precision, p_entries json, p_turns json
) returns json language plpgsql as $$
declare
  b schema_4.branches;
  answer json;
  is_new boolean;
begin
  perform schema_4.make_durable();
  begin
    select * into b from schema_4.branches where key = p_key and actor = p_actor and branch = p_branch for update;
    is_new := not found;
    if is_new and p_fork_of is not null then
      answer := schema_4.fork_branch(p_key, p_actor, p_fork_of, p_fork_at, p_branch);
      if answer->>'outcome' <> 'ok' then
        perform schema_4.refuse_restore(answer->>'outcome');
      end if;
    elsif is_new then
      b := schema_4.lock_or_create(p_key, p_actor, p_branch, p_tenant, p_conversation, 0,
        coalesce(p_time, schema_4.now_ms()));
      if b.line is null then perform schema_4.refuse_restore('deleted'); end if;
    end if;
    -- A branch is not older than its conversation, and without anything of its own it makes it no newer.
    if is_new then
      update schema_4.branches x set updated_at = c.created_at from schema_4.conversations c
        where x.key = p_key and x.actor = p_actor and x.branch = p_branch and c.key = p_key;
    end if;
    select * into b from schema_4.branches where key = p_key and actor = p_actor and branch = p_branch for update;
    if p_fork_of is not null and (b.fork_of, b.fork_at) is distinct from (p_fork_of, p_fork_at) then
      perform schema_4.refuse_restore('exists');
    end if;
    perform schema_4.compare_stretch(b, coalesce(p_from, b.head + 1), p_entries, p_turns);
    return json_build_object('outcome', 'ok', 'head', schema_4.put_stretch(b, p_entries, p_turns));
  exception when sqlstate 'TLREF' then
    return sqlerrm::json;
  end;
end $$;

create function schema_4.refuse_restore(
  p_outcome text, p_expected integer default null, p_head integer default null, p_once text default null
) returns void language plpgsql as $$
begin
  raise exception using errcode = 'TLREF', message = json_build_object(
    'outcome', p_outcome, 'expected', p_expected, 'head', p_head, 'open', p_head, 'key', p_once)::text;
end $$;

-- What is there must be the same, but for its token counts: another counter may have counted here. What is not must go on where that ends.
create function schema_4.compare_stretch(b schema_4.branches, p_from integer, p_entries json, p_turns json)
returns void language plpgsql as $$
declare
  place integer;
begin
  if p_from > b.head + 1 then perform schema_4.refuse_restore('conflict', p_from - 1, b.head); end if;
  select min(s.seq) into place
    from schema_4.entries_of(b, p_from, p_from + json_array_length(p_entries) - 1) s join json_to_recordset(p_entries) e (seq integer, turn integer, id text,
      role schema_4.role, time double precision, checksum bigint, tokens text, payload text) on e.seq = s.seq
    where (s.id, s.role, s.time, s.turn, s.payload) is distinct from (e.id, e.role, e.time, e.turn, e.payload);
  if place is not null then perform schema_4.refuse_restore('conflict', place - 1, b.head); end if;
  select min(s.first) into place
    from schema_4.turns_of(b) s join json_to_recordset(p_turns) t (turn integer, status schema_4.turn_status,
      first integer, last integer, "startedAt" double precision, "endedAt" double precision, error text, key text, body text) on t.turn = s.turn
    where (s.status, s.first, s.last, s.started_at, s.ended_at, s.error, s.idempotency_key, s.body)
      is distinct from (t.status, t.first, t.last, t."startedAt", t."endedAt", t.error, t.key, t.body);
  if place is not null then perform schema_4.refuse_restore('conflict', place - 1, b.head); end if;
end $$;

-- Writes what is not there yet; gives the new head.
create function schema_4.put_stretch(b schema_4.branches, p_entries json, p_turns json) returns integer
language plpgsql as $$
declare
  fresh record;
  latest record;
  clash record;
begin
  select greatest(max(e.seq), b.head) as head, coalesce(max(e.time), '-infinity') as time, count(*) as count into fresh
    from json_to_recordset(p_entries) e (seq integer, turn integer, id text,
      role schema_4.role, time double precision, checksum bigint, tokens text, payload text) where e.seq > b.head;
  select max(t.turn) as turn, coalesce(max(greatest(t."startedAt", t."endedAt")), '-infinity') as time,
      count(*) as count, bool_or(t.status = 'open') as is_open into latest
    from json_to_recordset(p_turns) t (turn integer, status schema_4.turn_status,
      first integer, last integer, "startedAt" double precision, "endedAt" double precision, error text, key text, body text) where t.turn > b.turns;
  if fresh.count = 0 and latest.count = 0 then return b.head; end if;
  if b.open_turn is not null then perform schema_4.refuse_restore('turn_open', null, b.open_turn); end if;

  select e.seq, (select case when (x.key, x.line, x.id) = (b.key, p.line, e.id) then x.seq end from schema_4.entries x
    where (x.key, x.line, x.id) >= (b.key, p.line, e.id) order by x.key, x.line, x.id limit 1) as place into clash
    from schema_4.lines_of(b) p, json_to_recordset(p_entries) e (seq integer, turn integer, id text,
      role schema_4.role, time double precision, checksum bigint, tokens text, payload text)
    where e.seq > b.head and (select case when (x.key, x.line, x.id) = (b.key, p.line, e.id) then x.seq end from schema_4.entries x
    where (x.key, x.line, x.id) >= (b.key, p.line, e.id) order by x.key, x.line, x.id limit 1) <= p.last limit 1;
  if found then perform schema_4.refuse_restore('conflict', clash.seq, clash.place); end if;
  if latest.turn > b.turns + latest.count then
    perform schema_4.refuse_restore('conflict', latest.turn - 1, b.turns);
  end if;
  -- One that would begin in what is stored is missing there.
  select t.first into clash from json_to_recordset(p_turns) t (turn integer, status schema_4.turn_status,
      first integer, last integer, "startedAt" double precision, "endedAt" double precision, error text, key text, body text) where t.turn > b.turns and t.first <= b.head limit 1;
  if found then perform schema_4.refuse_restore('conflict', clash.first - 1, b.head); end if;
  select t.key into clash from json_to_recordset(p_turns) t (turn integer, status schema_4.turn_status,
      first integer, last integer, "startedAt" double precision, "endedAt" double precision, error text, key text, body text) join schema_4.turns x
    on x.key = b.key and x.line = b.line and x.idempotency_key = t.key where t.turn > b.turns limit 1;
  if found then perform schema_4.refuse_restore('key_reused', null, null, clash.key); end if;

  insert into schema_4.entries (time, line, seq, turn, role, key, id, checksum, tokens, payload)
    select e.time, b.line, e.seq, e.turn, e.role, b.key, e.id, e.checksum + 31 * (e.seq)::bigint + 1009 * (e.turn)::bigint, e.tokens, e.payload
    from json_to_recordset(p_entries) e (seq integer, turn integer, id text,
      role schema_4.role, time double precision, checksum bigint, tokens text, payload text) where e.seq > b.head;
  -- Nobody holds the turns: their former holders work on another store.
  insert into schema_4.turns (key, line, turn, first, last, epoch, status, started_at, ended_at, error, idempotency_key, body)
    select b.key, b.line, t.turn, t.first, case when t.status <> 'open' then t.last end,
      case when t.status = 'open' then b.epoch + 1 else 0 end, t.status,
      t."startedAt", t."endedAt", t.error, t.key, t.body
    from json_to_recordset(p_turns) t (turn integer, status schema_4.turn_status,
      first integer, last integer, "startedAt" double precision, "endedAt" double precision, error text, key text, body text) where t.turn > b.turns;
  update schema_4.branches x set head = fresh.head, turns = coalesce(latest.turn, b.turns),
      updated_at = greatest(b.updated_at, fresh.time, latest.time), epoch = b.epoch + 1,
      open_turn = case when latest.is_open then latest.turn end,
      lease_owner = case when latest.is_open then '' end, lease_until = case when latest.is_open then 0 end,
      lease_ms = case when latest.is_open then 0 end
    where x.key = b.key and x.actor = b.actor and x.branch = b.branch;
  return fresh.head;
end $$;
create table schema_4.migrations (
  version integer primary key, name text not null, applied_at timestamptz not null default now());
insert into schema_4.migrations (version, name) values (4, '4 the log');
