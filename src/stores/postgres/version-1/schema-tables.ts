/**
 * The tables. Every key begins with (tenant, conversation), so that one conversation lies on one shard. A branch has a
 * short number in its conversation, its line: the keys of entries carry it instead of two names, three times each.
 * Times are milliseconds by the database's clock; payloads are text, because jsonb takes neither \u0000 nor half a
 * surrogate pair.
 */
export const tables = (schema: string): string => `
create table ${schema}.conversations (
  tenant text collate "C" not null,
  conversation text collate "C" not null,
  created_at double precision not null,
  deleted_at double precision,
  lines integer not null default 0,
  primary key (tenant, conversation)
);

-- Every append updates the head: room in the page keeps these updates out of the indexes.
create table ${schema}.branches (
  tenant text collate "C" not null,
  conversation text collate "C" not null,
  actor text collate "C" not null,
  branch text collate "C" not null,
  line integer not null,
  head integer not null default 0,
  turns integer not null default 0,
  updated_at double precision not null,
  epoch integer not null default 0,
  open_turn integer,
  lease_owner text,
  lease_until double precision,
  fork_of text,
  fork_at integer,
  -- The shared past, oldest first: which lines, and the last place taken from each.
  past_lines integer[] not null default '{}',
  past_ends integer[] not null default '{}',
  primary key (tenant, conversation, actor, branch)
) with (fillfactor = 60);

-- The last place of an open turn is the head of its branch: only the end writes it down.
create table ${schema}.turns (
  tenant text collate "C" not null,
  conversation text collate "C" not null,
  line integer not null,
  turn integer not null,
  status text not null check (status in ('open', 'completed', 'failed', 'cancelled', 'interrupted')),
  first integer not null,
  last integer,
  -- The lease that ends it; 0 when it was somebody else who did.
  epoch integer not null,
  started_at double precision not null,
  ended_at double precision,
  error text,
  key text collate "C",
  body text,
  primary key (tenant, conversation, line, turn)
);
create unique index turns_key on ${schema}.turns (tenant, conversation, line, key) where key is not null;

create table ${schema}.entries (
  time double precision not null,
  line integer not null,
  seq integer not null check (seq > 0),
  turn integer not null,
  tenant text collate "C" not null,
  conversation text collate "C" not null,
  role text not null check (role in ('system', 'user', 'assistant', 'tool', 'assistant_note')),
  id text collate "C" not null,
  tokens text not null,
  -- Hashes of tenant and word, for search: the same words as in every other store, whatever the database's locale.
  words integer[],
  payload text not null,
  primary key (tenant, conversation, line, seq),
  unique (tenant, conversation, line, id)
);
create index entries_words on ${schema}.entries using gin (words);

create table ${schema}.calls (
  place bigint generated always as identity,
  time double precision not null,
  line integer not null,
  turn integer not null,
  predicted double precision not null,
  reported double precision,
  tenant text collate "C" not null,
  conversation text collate "C" not null,
  id text collate "C" not null,
  model text not null,
  plan text not null,
  primary key (tenant, conversation, line, id)
);
create index calls_newest on ${schema}.calls (tenant, conversation, line, place);

create table ${schema}.caches (
  tenant text collate "C" not null,
  conversation text collate "C" not null,
  line integer not null,
  key text collate "C" not null,
  at integer not null,
  bytes bytea not null,
  primary key (tenant, conversation, line, key)
);
`
