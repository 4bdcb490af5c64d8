/** What lists, retention and the deletion of old calls need so that none of them reads all of a tenant. */
export const listedByTime = (schema: string): readonly string[] => [
  // The time of the last write, as the index knows it (list-times.ts).
  `alter table ${schema}.conversations add column written_at double precision not null default 0`,
  `update ${schema}.conversations c set written_at = b.updated_at
    from (select key, max(updated_at) as updated_at from ${schema}.branches group by key) b where b.key = c.key`,
  `create index conversations_recent on ${schema}.conversations (tenant, written_at) where deleted_at is null`,
  `drop index ${schema}.conversations_person`,
  `create index conversations_person on ${schema}.conversations (tenant, person, written_at) where person is not null`,
  `create index calls_by_time on ${schema}.calls (time)`,
]
