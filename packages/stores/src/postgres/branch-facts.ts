import { remainingMs } from '../rules/lease-time.ts'
import type { BranchState } from '../rules/write-rules.ts'
import type { StoredEntry, StoredTurn, ThreadKey } from '../store.ts'
import { NoConversationError } from '../store-error.ts'
import type { Row } from './database.ts'
import type { PostgresContext } from './postgres-context.ts'
import { keyOf, toTurn } from './rows.ts'
import { isBranch, linesOf, now, placeOf, turnColumns } from './schema/fragments.ts'

/** What the rules may ask of a branch beyond its row. */
export interface FactNeeds {
  readonly ids?: readonly string[]
  readonly keys?: readonly string[]
  readonly epoch?: number
  /** A place, for the turns that begin up to it. */
  readonly at?: number
}

/** A branch as it was read: what is written because of it is written only where it is still so. */
export interface BranchFacts extends BranchState {
  /** Undefined for a branch that is not there. */
  readonly line: number | undefined
  readonly isDeleted: boolean
  /** When the conversation was created, if it is there. */
  readonly createdAt: number | undefined
  readonly leaseUntil: number | null
  /** When the lease runs out if the clock went back and it counts as given now. */
  readonly heldUntil: number | null
  readonly forkOf: { readonly branch: string; readonly at: number } | undefined
  readonly pastLines: readonly number[]
  readonly pastEnds: readonly number[]
  /** How many turns begin up to `at`. */
  readonly turnsAt: number
}

/** Reads a branch with what is needed of its entries and turns, in one statement. */
export async function readFacts(
  { database, schema }: PostgresContext,
  thread: ThreadKey,
  needs: FactNeeds,
): Promise<BranchFacts> {
  const { ids = [], keys = [], epoch = 0, at } = needs
  const values = [...keyOf(thread, [...ids, ...keys]), ids, keys]
  const more = [...(epoch > 0 ? [epoch] : []), ...(at === undefined ? [] : [at])]
  const text = factsSql(schema, epoch > 0, at !== undefined)
  const [row] = await database.readPrepared(text, [...values, ...more])
  return toFacts(thread, row)
}

/** Of each turn only what an index finds in one step: a line may have 50,000 turns. */
const factsSql = (schema: string, hasEpoch: boolean, hasPlace: boolean) => `
  select c.created_at, c.deleted_at is not null as is_deleted, b.*, ${now} as now,
    (select json_object_agg(i.id, x.seq) from unnest($4::text[]) i (id) cross join ${linesOf}
      cross join lateral (select ${placeOf(schema, 'l.line', 'i.id')} as seq) x where x.seq <= l.last) as ids,
    (select json_agg(t) from (
      ${turnSql(schema, 't.turn = b.open_turn')}
      union ${turnOfKeySql(schema)}
      ${hasEpoch ? `union ${turnSql(schema, 't.epoch = $6')}` : ''}
    ) t) as found
    ${hasPlace ? `, ${turnsAtSql(schema, hasEpoch ? '$7' : '$6')} as turns_at` : ''}
  from ${schema}.conversations c left join ${schema}.branches b on ${isBranch} where c.key = $1`

const allOfTurn = `${turnColumns}, t.last, t.epoch, t.idempotency_key as key, t.body`

const turnSql = (schema: string, which: string) =>
  `select ${allOfTurn} from ${schema}.turns t where t.key = $1 and t.line = b.line and ${which}`

/** In the order of the index of keys, for the reason given at `placeOf`. */
const turnOfKeySql = (schema: string) => `
  select ${allOfTurn} from unnest($5::text[]) k (key) cross join lateral (
    select * from ${schema}.turns t where t.key = $1 and t.idempotency_key is not null
      and (t.line, t.idempotency_key) >= (b.line, k.key) order by t.key, t.line, t.idempotency_key limit 1
  ) t where t.line = b.line and t.idempotency_key = k.key`

const turnsAtSql = (schema: string, at: string) => `(select coalesce(max(x.turn), 0) from ${linesOf}
  cross join lateral (select t.turn from ${schema}.turns t
    where t.key = $1 and t.line = l.line and t.first <= least(${at}::integer, l.last) order by t.turn desc limit 1) x)`

function toFacts(thread: ThreadKey, row: Row | undefined): BranchFacts {
  const isThere = row !== undefined && row.line !== null
  const number = (name: string) => (isThere ? Number(row[name]) : 0)
  const [head, open] = [
    number('head'),
    isThere && row.open_turn !== null ? number('open_turn') : undefined,
  ]
  const ids = new Map(Object.entries((row?.ids ?? {}) as Readonly<Record<string, number>>))
  const found = ((row?.found ?? []) as readonly Row[]).map(turn => ({
    epoch: Number(turn.epoch),
    turn: toTurn({ ...turn, last: turn.last ?? head }),
  }))
  const lease = { until: number('lease_until'), ms: number('lease_ms') }
  const heldMs = remainingMs(lease, number('now'))
  return {
    thread,
    line: isThere ? number('line') : undefined,
    isDeleted: row?.is_deleted === true,
    createdAt: row ? Number(row.created_at) : undefined,
    head,
    turns: number('turns'),
    epoch: number('epoch'),
    open,
    owner: open === undefined ? undefined : String(row!.lease_owner),
    leaseUntil: open === undefined ? null : number('lease_until'),
    heldUntil: open === undefined ? null : lease.until,
    heldMs: () => (open === undefined ? 0 : heldMs),
    forkOf:
      isThere && row.fork_of !== null
        ? { branch: String(row.fork_of), at: number('fork_at') }
        : undefined,
    pastLines: (row?.past_lines ?? []) as readonly number[],
    pastEnds: (row?.past_ends ?? []) as readonly number[],
    turnsAt: number('turns_at'),
    seqOf: id => ids.get(id),
    entries: notRead,
    turn: wanted => found.find(({ turn }) => turn.turn === wanted)!.turn,
    turnsFrom: notRead,
    turnByKey: key => found.find(({ turn }) => turn.key === key)?.turn,
    turnByEpoch: wanted =>
      wanted === 0 ? undefined : found.findLast(({ epoch }) => epoch === wanted)?.turn,
  }
}

/** Rules that ask for entries or all turns get them from whoever has read them. */
function notRead(): never {
  throw new Error('these were not read')
}

/** The facts with stored entries and turns that were read beside them. */
export const withStretch = (
  facts: BranchFacts,
  entries: readonly StoredEntry[],
  turns: readonly StoredTurn[] = [],
): BranchFacts => ({
  ...facts,
  entries: (from, to) => entries.filter(({ seq }) => seq >= from && seq <= to),
  turnsFrom: first => turns.filter(({ turn }) => turn >= first),
})

/** The branch to write to; throws if it does not exist or was deleted. */
export function needBranch(facts: BranchFacts): BranchFacts {
  if (facts.line === undefined)
    throw new NoConversationError(facts.thread.conversation, facts.isDeleted)
  return facts
}

/** The branch, or an empty one. Throws if the conversation was deleted. */
export function makeBranch(facts: BranchFacts): BranchFacts {
  if (facts.isDeleted) throw new NoConversationError(facts.thread.conversation, true)
  return facts
}

/** A branch as a writer hopes that it is. The write itself says whether it was so: ids that are stored, and keys that are used, break a unique constraint. */
export function hopedFacts(
  thread: ThreadKey,
  hope: Partial<Pick<BranchState, 'head' | 'epoch' | 'open' | 'owner'>>,
): BranchState {
  return {
    ...{ thread, head: 0, turns: 0, epoch: 0, open: undefined, owner: undefined, ...hope },
    heldMs: () => 0,
    seqOf: () => undefined,
    entries: notRead,
    turn: notRead,
    turnsFrom: notRead,
    turnByKey: () => undefined,
    turnByEpoch: () => undefined,
  }
}
