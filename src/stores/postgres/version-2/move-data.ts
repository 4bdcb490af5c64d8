/** Versions before have names where this one has keys: their tables step aside, give all they hold, and go. */
export const setAside = (schema: string): string => `
drop function ${functions.map(name => `${schema}.${name}`).join(', ')};
${names.map(name => `alter table ${schema}.${name} rename to ${name}_1;`).join('\n')}
alter function ${schema}.refuse_change rename to refuse_change_1;
`

/** All in one transaction: whoever reads sees the tables of before until everything stands in the new ones. */
export const moveData = (schema: string): string => {
  const move = (table: string, columns: string, from = columns) => `
insert into ${schema}.${table} (key, ${columns})
  select ${schema}.key_of(tenant, conversation), ${from} from ${schema}.${table}_1;`
  const past = (column: string) => `case when fork_of is not null then ${column} end`
  const branch = `line, head, turns, epoch, updated_at, lease_until, open_turn, fork_at, actor, branch, lease_owner, fork_of`
  const call = 'line, turn, predicted, reported, id, model, plan'
  return [
    move('conversations', 'created_at, deleted_at, lines, tenant, conversation'),
    move(
      'branches',
      `${branch}, past_lines, past_ends`,
      `${branch}, ${past('past_lines')}, ${past('past_ends')}`,
    ),
    move(
      'turns',
      'line, turn, first, last, epoch, status, started_at, ended_at, error, idempotency_key, body',
      `line, turn, first, last, epoch, status::${schema}.turn_status, started_at, ended_at, error, key, body`,
    ),
    move(
      'entries',
      'time, line, seq, turn, role, id, tokens, words, payload',
      `time, line, seq, turn, role::${schema}.role, id, tokens, words, payload`,
    ),
    // Their order is told by the place, which is handed out again.
    `${move('calls', `time, ${call}`).slice(0, -1)} order by place;`,
    move('caches', 'line, at, cache, bytes', 'line, at, key, bytes'),
    ...names.map(name => `drop table ${schema}.${name}_1;`),
    `drop function ${schema}.refuse_change_1;`,
  ].join('\n')
}

const names = ['conversations', 'branches', 'turns', 'entries', 'calls', 'caches'] as const

const functions = [
  'begin_turn',
  'append_entries',
  'seed_entries',
  'renew_lease',
  'fork_branch',
  'delete_conversation',
  'is_torn',
  'lock_or_create',
  'why_missing',
  'now_ms',
  'turn_json',
  'has_all',
  'put_entries',
  'entries_of',
  'lines_of',
  'make_durable',
] as const
