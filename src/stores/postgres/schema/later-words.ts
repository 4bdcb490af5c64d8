/**
 * The second version: the words of an entry are indexed after it was stored, so that its writer does not wait for them.
 * Words of entries that the first version wrote stay where they are, in `entries.words`: moving them would hold everybody
 * up. Nothing here reads or rewrites the entries.
 */
export const laterWords = (schema: string): string => `
-- The place after which the branch has entries that are not indexed; null when it has none. Appends leave it as it is, so
-- they stay out of this index.
alter table ${schema}.branches add column waiting_after integer;
create index branches_waiting on ${schema}.branches (key) where waiting_after is not null;

-- Hashes of tenant and word (word-hashes.ts), and the time of the entry: search finds the newest without looking at entries.
-- An entry without words has no row.
create table ${schema}.words (
  time double precision not null,
  key uuid not null,
  line integer not null,
  seq integer not null,
  words integer[] not null,
  constraint words_places primary key (key, line, seq)
);
-- A short list of what waits for the index: a long one takes more room, and whoever finds it full has to wait.
create index words_found on ${schema}.words using gin (words) with (gin_pending_list_limit = 512);

-- Whoever moves a head leaves entries that wait, be it a program of the first version.
create function ${schema}.mark_waiting() returns trigger language plpgsql as $$
begin
  new.waiting_after := old.head;
  return new;
end $$;

create trigger branches_wait before update of head on ${schema}.branches
  for each row when (new.head > old.head and new.waiting_after is null) execute function ${schema}.mark_waiting();

create function ${schema}.forget_words() returns trigger language plpgsql as $$
begin
  delete from ${schema}.words where key = old.key and line = old.line;
  return null;
end $$;

create trigger branches_forget after delete on ${schema}.branches
  for each row execute function ${schema}.forget_words();

-- Refuses every change of the log: entries are only deleted with their conversation.
create or replace function ${schema}.refuse_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and exists (
    select from ${schema}.conversations c where c.key = old.key and c.deleted_at is not null
  ) then
    return old;
  end if;
  raise exception 'the log is append-only: % of an entry is refused', tg_op
    using errcode = 'restrict_violation', hint = 'Delete the conversation as a whole.';
end $$;
`
