import type { Change } from '../rules/write-rules.ts'
import type { Mark, RestoreEntries, StoredCall, ThreadKey } from '../store.ts'
import type { BranchFacts } from './branch-facts.ts'
import type { Statement, Step } from './database.ts'
import { durable, type PostgresContext } from './postgres-context.ts'
import { callValues, keyOf, markKey, type toRecords } from './rows.ts'
import { isBranch, now, placeOf, sameCall, withPlace } from './schema/fragments.ts'

/** What a branch must be like, still, for a write to be made. */
export interface Guard {
  readonly isOpen: boolean
  readonly head?: number
  readonly turns?: number
  readonly owner?: string
  readonly epoch?: number
  readonly leaseUntil?: number
  /** Said where nobody has looked for the entries in a shared past: whether the branch is a fork. */
  readonly isFork?: boolean
}

/** A new branch: empty, or with a shared past. */
export interface Birth {
  readonly head: number
  readonly turns: number
  /** Of the branch, and of a conversation that is not there yet. Default: now. */
  readonly time?: number | undefined
  readonly past?: {
    readonly of: string
    readonly lines: readonly number[]
    readonly ends: readonly number[]
  }
}

export type Base = { readonly guard: Guard } | { readonly birth: Birth }

type Records = ReturnType<typeof toRecords>

/** What a change writes: its entries without those that are stored, the first `closing` of which end the turn before. */
export interface BranchWrite extends Pick<Change, 'opens' | 'ends' | 'closes' | 'call'> {
  readonly entries: Records
  readonly closing: number
  readonly isUse: boolean
  readonly lease?: { readonly owner: string; readonly ms: number; readonly isNew: boolean }
  readonly marks: readonly Mark[]
  /** Whether the entries lie outside of turns. */
  readonly isSeed: boolean
  /** Whether the conversation moves on in the lists too (list-times.ts). */
  readonly isListed: boolean
}

export interface BranchStatement {
  readonly text: string
  readonly values: readonly unknown[]
  /** The same one by one, in a transaction: each that gives no row where it should leaves nothing to be done. */
  readonly steps: () => readonly Step[]
}

/**
 * One statement, so one transaction: the branch moves on if it is still what the guard says, and what belongs to it is written
 * because of that. Where no row is written, something else was written meanwhile.
 */
export function writeBranch(
  context: PostgresContext,
  thread: ThreadKey,
  base: Base,
  write: BranchWrite,
) {
  const { opens, ends, closes, call, lease, entries, closing, marks } = write
  const on = statement(context, thread, [call?.id ?? '', opens?.key ?? ''])
  const { put, schema } = on
  const added = entries.length - closing
  const set = {
    ...(entries.length > 0 && {
      head: `b.head + ${put(entries.length)}::integer`,
      waiting_after: 'coalesce(b.waiting_after, b.head)',
    }),
    ...(opens && { turns: 'b.turns + 1', open_turn: 'b.turns + 1' }),
    ...(lease && {
      epoch: lease.isNew ? 'b.epoch + 1' : 'b.epoch',
      lease_owner: put(lease.owner, 'text'),
      lease_until: `${now} + ${put(lease.ms, 'double precision')}`,
      lease_ms: put(lease.ms, 'double precision'),
    }),
    ...(ends && { open_turn: 'null', lease_owner: 'null', lease_until: 'null', lease_ms: 'null' }),
    ...(write.isUse && { updated_at: `greatest(b.updated_at, ${now})` }),
  }
  on.branch(base, set, entries)
  if (write.isListed && 'guard' in base) on.listed(now)
  if (closes)
    on.add(
      'closed',
      `update ${schema}.turns t set status = ${put(closes.status)}, error = ${put(closes.error ?? null)}, epoch = 0,
        last = b.head - ${put(added)}::integer, ended_at = ${now}
        from b where t.key = $1 and t.line = b.line and t.turn = b.turns - 1`,
    )
  if (opens)
    on.add(
      'opened',
      `insert into ${schema}.turns (key, line, turn, status, first, epoch, started_at, idempotency_key, body)
        select b.key, b.line, b.turns, 'open'::${schema}.turn_status, b.head - ${put(added)}::integer + 1, b.epoch, ${now},
          ${put(opens.key ?? null, 'text')}, ${put(opens.body ?? null, 'text')} from b`,
    )
  else if (lease?.isNew)
    on.add(
      'taken',
      `update ${schema}.turns t set epoch = b.epoch from b where t.key = $1 and t.line = b.line and t.turn = b.turns`,
    )
  if (ends)
    on.add(
      'ended',
      `update ${schema}.turns t set status = ${put(ends.status)}, error = ${put(ends.error ?? null)}, last = b.head,
        ended_at = ${now} from b where t.key = $1 and t.line = b.line and t.turn = b.turns`,
    )
  if (marks.length > 0) on.marks(thread.tenant, marks, added)
  if (call) on.call(thread, call)
  const turnOf = write.isSeed ? '0' : closing > 0 ? 'b.turns - e.past' : 'b.turns'
  if (entries.length > 0) on.entries(entries, closing, turnOf)
  // Marks that are there already are no rows.
  return on.end(opens !== undefined || (marks.length > 0 && !call && entries.length === 0), added)
}

/** Restored entries and turns. Nobody holds the turns: their former holders work on another store. */
export function writeStretch(
  context: PostgresContext,
  thread: ThreadKey,
  base: Base,
  { turns }: Pick<RestoreEntries, 'turns'>,
  { entries, last }: { readonly entries: Records; readonly last: number | undefined },
) {
  const on = statement(context, thread, [])
  const { put, schema } = on
  const latest = turns.at(-1)
  const isNew = entries.length + turns.length > 0
  const set = {
    ...(entries.length > 0 && {
      head: `b.head + ${put(entries.length)}::integer`,
      waiting_after: 'coalesce(b.waiting_after, b.head)',
    }),
    ...(isNew && { epoch: 'b.epoch + 1' }),
    ...(latest && { turns: put(latest.turn, 'integer') }),
    ...(latest?.status === 'open' && {
      open_turn: put(latest.turn, 'integer'),
      lease_owner: `''`,
      lease_until: '0',
      lease_ms: '0',
    }),
    ...(last !== undefined && {
      updated_at: `greatest(b.updated_at, ${put(last, 'double precision')})`,
    }),
  }
  on.branch(base, set, [])
  if (last !== undefined && 'guard' in base) on.listed(put(last, 'double precision'))
  if (turns.length > 0)
    on.add(
      'turned',
      `insert into ${schema}.turns (key, line, turn, first, last, epoch, status, started_at, ended_at, error,
          idempotency_key, body)
        select b.key, b.line, t.turn, t.first, case when t.status <> 'open' then t.last end,
          case when t.status = 'open' then b.epoch else 0 end, t.status, t."startedAt", t."endedAt", t.error, t.key, t.body
        from b, json_to_recordset(${put(JSON.stringify(turns))}) t (turn integer, status ${schema}.turn_status,
          first integer, last integer, "startedAt" double precision, "endedAt" double precision, error text, key text,
          body text)`,
    )
  if (entries.length > 0) on.entries(entries, 0, 'e.turn')
  return on.end(false, 0)
}

function statement(context: PostgresContext, thread: ThreadKey, ids: readonly string[]) {
  const { schema } = context
  const values: unknown[] = [...keyOf(thread, ids)]
  const parts: (readonly [name: string, sql: string])[] = []
  const put = (value: unknown, type = '') => `$${values.push(value)}${type && `::${type}`}`
  const add = (name: string, sql: string) => void parts.push([name, sql])
  const recordsOf = (json: string) => `json_to_recordset(${json}) e (id text, role ${schema}.role,
    time double precision, checksum bigint, tokens text, payload text, turn integer, past integer, n integer)`

  /** A condition on the branch `b`, which is `is` where it should be found. */
  function conditions(guard: Guard, records: Records): string {
    const { isOpen, head, turns, owner, epoch, leaseUntil, isFork } = guard
    const notShared = () => `not exists (
      select from unnest(${put(records.map(({ id }) => id))}::text[]) i (id), unnest(b.past_lines, b.past_ends) p (line, last)
      where ${placeOf(schema, 'p.line', 'i.id')} <= p.last)`
    return [
      isBranch,
      `b.open_turn is ${isOpen ? 'not ' : ''}null`,
      ...(head === undefined ? [] : [`b.head = ${put(head)}`]),
      ...(turns === undefined ? [] : [`b.turns = ${put(turns)}`]),
      ...(owner === undefined ? [] : [`b.lease_owner = ${put(owner)}`]),
      ...(epoch === undefined ? [] : [`b.epoch = ${put(epoch)}`]),
      ...(leaseUntil === undefined ? [] : [`b.lease_until = ${put(leaseUntil)}`]),
      ...(isFork === undefined || records.length === 0
        ? []
        : [isFork ? notShared() : 'b.fork_of is null']),
      durable(context),
    ].join(' and ')
  }

  function born({ head, turns, time, past }: Birth, set: Readonly<Record<string, string>>): void {
    const names = [put(thread.tenant), put(thread.conversation)]
    const at = time === undefined ? now : put(time, 'double precision')
    const writtenAt = set.updated_at?.replaceAll('b.updated_at', at) ?? at
    add(
      'c',
      `insert into ${schema}.conversations (key, created_at, written_at, lines, tenant, conversation)
        select $1::uuid, ${at}, ${writtenAt}, 1, ${names.map(name => `${name}::text`)} where ${durable(context)}
      on conflict (key) do update set lines = conversations.lines + 1,
        written_at = greatest(conversations.written_at, excluded.written_at) where conversations.deleted_at is null
      returning lines`,
    )
    // Each is put where it is used: a value that no statement names has no type.
    const empty: Readonly<Record<string, () => string>> = {
      ...{
        key: () => '$1::uuid',
        actor: () => '$2::text',
        branch: () => '$3::text',
        line: () => 'c.lines',
      },
      ...{ epoch: () => '0', head: () => put(head, 'integer'), turns: () => put(turns, 'integer') },
      updated_at: () => at,
      ...(past && {
        fork_of: () => put(past.of, 'text'),
        fork_at: () => put(head, 'integer'),
        past_lines: () => put(past.lines, 'integer[]'),
        past_ends: () => put(past.ends, 'integer[]'),
      }),
    }
    // A change of a branch, made to one that is not there yet.
    const first = (sql: string) =>
      sql.replace(/b\.(\w+)/g, (_, name) => `(${empty[name]?.() ?? 'null'})`)
    const columns = [...new Set([...Object.keys(empty), ...Object.keys(set)])]
    const row = columns.map(name => (set[name] === undefined ? empty[name]!() : first(set[name])))
    add(
      'b',
      `insert into ${schema}.branches as b (${columns}) select ${row} from c
        returning key, line, head, turns, epoch`,
    )
  }

  return {
    schema,
    put,
    add,
    branch(base: Base, set: Readonly<Record<string, string>>, records: Records) {
      if ('birth' in base) return born(base.birth, set)
      const sets = Object.entries({
        ...set,
        ...(Object.keys(set).length === 0 && { head: 'b.head' }),
      })
      add(
        'b',
        `update ${schema}.branches b set ${sets.map(([name, sql]) => `${name} = ${sql}`)}
          where ${conditions(base.guard, records)} returning b.key, b.line, b.head, b.turns, b.epoch`,
      )
    },
    /** After the branch, which every writer locks first. */
    listed(time: string) {
      add(
        'l',
        `update ${schema}.conversations c set written_at = greatest(c.written_at, ${time}) from b where c.key = $1`,
      )
    },
    entries(records: Records, closing: number, turn: string) {
      const columns = '(time, line, seq, turn, role, key, id, tokens, payload, checksum)'
      const [only] = records
      if (records.length === 1 && closing === 0 && turn !== 'e.turn') {
        const { id, role, time, tokens, payload, checksum } = only!
        const place = ['b.line', 'b.head', turn]
        const names = [
          `${put(role)}::${schema}.role`,
          'b.key',
          put(id, 'text'),
          put(tokens, 'text'),
        ]
        const sum = withPlace(put(checksum, 'bigint'), 'b.head', turn)
        add(
          'e',
          `insert into ${schema}.entries ${columns}
            select ${put(time, 'double precision')}, ${place}, ${names}, ${put(payload, 'text')}, ${sum} from b`,
        )
        return
      }
      const rows = records.map((record, n) => ({
        ...record,
        past: n < closing ? 1 : 0,
        n: records.length - 1 - n,
      }))
      const seq = 'b.head - e.n'
      add(
        'e',
        `insert into ${schema}.entries ${columns}
          select e.time, b.line, ${seq}, ${turn}, e.role, b.key, e.id, e.tokens, e.payload,
            ${withPlace('e.checksum', seq, turn)}
          from b, ${recordsOf(put(JSON.stringify(rows)))}`,
      )
    },
    /** Marks count from the first of the entries that were added last. */
    marks(tenant: string, marks: readonly Mark[], added: number) {
      const records = marks.map(({ mark, at }) => ({ mark: markKey(tenant, mark), at }))
      add(
        'm',
        `insert into ${schema}.marks (key, line, mark, at)
          select b.key, b.line, m.mark, b.head - ${put(added)}::integer + m.at
          from b, json_to_recordset(${put(JSON.stringify(records))}) m (mark uuid, at integer)
        on conflict do nothing`,
      )
    },
    call(of: ThreadKey, call: StoredCall) {
      const types =
        `text integer float8 text text float8 float8 ${schema}.call_status text bigint`.split(' ')
      const columns = callValues(of, call).map((value, at) => put(value, types[at]))
      add(
        'k',
        `insert into ${schema}.calls (key, line, id, turn, time, model, plan, predicted, reported, status, error, checksum)
          select b.key, b.line, ${columns} from b
        on conflict (key, line, id) do update set ${sameCall}`,
      )
    },
    /** The last part is the statement itself: to read a row takes a tenth of an append, and the count of rows says enough. */
    end(needsRow: boolean, added: number): BranchStatement {
      if (needsRow)
        add(
          'row',
          `select b.head, b.turns, b.epoch, ${now} as now, ${put(added)}::integer as added from b`,
        )
      const before = parts.slice(0, -1).map(([name, sql]) => `${name} as (${sql})`)
      const found = `with b as (select * from ${schema}.branches b where ${isBranch})`
      const counted = `with c as (select lines from ${schema}.conversations where key = $1)`
      return {
        text: `${before.length > 0 ? `with ${before.join(',\n')}\n` : ''}${parts.at(-1)![1]}`,
        values,
        steps: () =>
          parts.map(([name, sql]) => {
            const isFirst = name === 'c' || (name === 'b' && parts[0]![0] === 'b')
            const before = isFirst ? '' : name === 'b' ? counted : found
            return {
              ...standalone(`${before} ${sql}`, values),
              mustReturn: name === 'b' || name === 'c',
            }
          }),
      }
    },
  }
}

/** A part of a statement by itself, with only those of its values that it names. */
export function standalone(
  text: string,
  values: readonly unknown[],
): Statement & { readonly values: unknown[] } {
  const used = [...new Set(text.match(/\$\d+/g))]
  return {
    text: text.replace(/\$\d+/g, name => `$${used.indexOf(name) + 1}`),
    values: used.map(name => values[Number(name.slice(1)) - 1]),
  }
}

/** The guard of a branch that was read: all that a rule may have decided by. */
export const guardOf = ({ head, turns, open, owner, epoch, leaseUntil }: BranchFacts): Guard => ({
  isOpen: open !== undefined,
  head,
  turns,
  epoch,
  ...(owner !== undefined && { owner }),
  ...(leaseUntil !== null && { leaseUntil }),
})
