/** In this order they are made and spread. */
export const tableNames = [
  'conversations',
  'branches',
  'turns',
  'entries',
  'calls',
  'caches',
  'marks',
  'words',
]

/**
 * Every key begins with a conversation's key, 16 bytes of its names: so the names determine its shard, and rows do not
 * repeat them. A number of a sequence could be resolved only by the shard that gave it. A branch has a short number in its
 * conversation, its line. Times are milliseconds by the database's clock; payloads are text, because jsonb takes neither
 * \u0000 nor half a surrogate pair. Roles and states are types: a CHECK is parsed again for every statement.
 */
export const tables = (schema: string): readonly string[] => [
  `create type ${schema}.role as enum ('system', 'user', 'assistant', 'tool', 'assistant_note')`,
  `create type ${schema}.turn_status as enum ('open', 'completed', 'failed', 'cancelled', 'interrupted')`,
  `create type ${schema}.call_status as enum ('sent', 'completed', 'failed', 'cancelled')`,
  `create table ${schema}.conversations (
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
  )`,
  `create index conversations_person on ${schema}.conversations (tenant, person) where person is not null`,
  // Every append updates the head: room in the page keeps these updates out of the index.
  `create table ${schema}.branches (
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
  ) with (fillfactor = 50)`,
  `create index branches_waiting on ${schema}.branches (key) where waiting_after is not null`,
  // The last place of an open turn is the head of its branch: only the end writes it down.
  `create table ${schema}.turns (
    key uuid not null,
    line integer not null,
    turn integer not null,
    first integer not null,
    last integer,
    -- The lease that ends it; 0 when another writer has closed it, or it was restored.
    epoch integer not null,
    status ${schema}.turn_status not null,
    started_at double precision not null,
    ended_at double precision,
    error text,
    idempotency_key text collate "C",
    body text,
    constraint turns_numbers primary key (key, line, turn)
  ) with (fillfactor = 80)`,
  `create unique index turns_once on ${schema}.turns (key, line, idempotency_key) where idempotency_key is not null`,
  `create table ${schema}.entries (
    time double precision not null,
    line integer not null,
    seq integer not null,
    turn integer not null,
    role ${schema}.role not null,
    key uuid not null,
    id text collate "C" not null,
    checksum bigint not null,
    tokens text not null,
    payload text not null,
    constraint entries_places primary key (key, line, seq),
    constraint entries_ids unique (key, line, id)
  )`,
  `create table ${schema}.calls (
    place bigint generated always as identity,
    time double precision not null,
    line integer not null,
    turn integer not null,
    predicted double precision not null,
    reported double precision,
    status ${schema}.call_status not null,
    key uuid not null,
    id text collate "C" not null,
    model text not null,
    plan text not null,
    error text,
    checksum bigint not null,
    constraint calls_ids primary key (key, line, id)
  )`,
  `create index calls_latest on ${schema}.calls (key, line, place)`,
  `create table ${schema}.caches (
    key uuid not null,
    line integer not null,
    at integer not null,
    cache text collate "C" not null,
    checksum bigint not null,
    bytes bytea not null,
    constraint caches_names primary key (key, line, cache)
  )`,
  // A mark is the hash of tenant and text, like the key of a conversation.
  `create table ${schema}.marks (
    place bigint generated always as identity,
    mark uuid not null,
    key uuid not null,
    line integer not null,
    at integer not null,
    constraint marks_places primary key (key, line, mark, at)
  )`,
  `create index marks_found on ${schema}.marks (mark, place)`,
  // Hashes of tenant and word (word-hashes.ts), and the time of the entry: search finds the newest without looking at entries.
  // They are written after the entry was stored, so that its writer does not wait for them. An entry without words has no row.
  `create table ${schema}.words (
    time double precision not null,
    key uuid not null,
    line integer not null,
    seq integer not null,
    words integer[] not null,
    constraint words_places primary key (key, line, seq)
  )`,
  // A short list of what waits for the index: a long one takes more room, and a writer that finds it full has to wait.
  `create index words_found on ${schema}.words using gin (words) with (gin_pending_list_limit = 512)`,
  ``,
]
