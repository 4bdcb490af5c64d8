/** Drops what decided in the database until the rules did, in `stores/rules`. A new schema never had it. */
export const plainStatements = (schema: string): readonly string[] => [
  ...triggers.map(([name, table]) => `drop trigger if exists ${name} on ${schema}.${table}`),
  ...functions.map(name => `drop function if exists ${schema}.${name}`),
  // Where a table is spread over machines, a name is unique by the key alone, which is made of it.
  `alter table ${schema}.conversations drop constraint conversations_names`,
  `create index conversations_names on ${schema}.conversations (tenant, conversation)`,
]

const triggers = [
  ['branches_wait', 'branches'],
  ['branches_forget', 'branches'],
  ['entries_append_only', 'entries'],
  ['entries_not_truncated', 'entries'],
] as const

/** Those that take a row of a table before those that are called by others. */
const functions =
  `mark_waiting forget_words refuse_change key_of now_ms make_durable why_missing lines_of entries_of turns_of has_all turn_json
  lock_or_create is_torn fork_branch delete_calls delete_conversation erase_entry restore_entries refuse_restore compare_stretch
  put_stretch begin_turn is_begun seed_entries append_entries why_not_appended held_ms turn_open renew_lease resume_turn`.split(
    /\s+/,
  )
