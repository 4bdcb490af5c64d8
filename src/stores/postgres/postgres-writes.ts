import { erasedPrefix } from '../erased.ts'
import { timesOf } from '../rules/plan-restore.ts'
import type { Lease, Mark, NewEntry, Store, ThreadKey } from '../store.ts'
import * as errors from '../store-error.ts'
import type { Row } from './database.ts'
import type { PostgresContext } from './postgres-context.ts'
import { callRecord, keyOf, markKey, toRecords, toTurn } from './rows.ts'
import { withPlace } from './schema/fragments.ts'
import { wordHashes } from './word-hashes.ts'
import type { WordIndexer } from './word-indexer.ts'

/** Each method is one call of one schema function. */
export function postgresWrites(context: PostgresContext, indexer: WordIndexer, entries: Store['entries']) {
  const call = caller(context, indexer)
  const { database, schema } = context
  const appendText = appendSql(schema)
  const toJson = (thread: ThreadKey, entries: readonly NewEntry[]) =>
    JSON.stringify(toRecords(thread, entries))

  async function append(
    thread: ThreadKey,
    { lease, expectedHead, entries, call: kept, marks = [] }: Parameters<Store['append']>[1],
    status: string | null,
    error: string | null,
  ): Promise<{ head: number }> {
    const records = toRecords(thread, entries)
    const [first] = records
    if (first && records.length === 1 && status === null && !kept && marks.length === 0) {
      const { id, role, time, tokens, payload, checksum } = first
      const values = [lease.owner, lease.epoch, expectedHead, id, role, time, tokens, payload, checksum]
      const count = await database.tryWrite(appendText, [...keyOf(thread), ...values])
      if (count > 0) indexer.wake()
      // Else nothing was written, and the function says why.
      if (count > 0) return { head: expectedHead + 1 }
    }
    const turn = [lease.owner, lease.epoch, expectedHead, status, error]
    const beside = [kept ? callRecord(thread, kept) : null, markRecords(thread, marks)]
    const values = [...turn, records.length, JSON.stringify(records), ...beside]
    const ids = kept ? [kept.id] : []
    const { head } = await call('append_entries', thread, values, { expectedHead, lease, ids })
    return { head }
  }

  return {
    async begin(thread, { owner, leaseMs, expectedHead, key, body, closing, entries, marks = [] }) {
      const values = [owner, leaseMs, expectedHead ?? null, key ?? null, body ?? null]
      const left = [closing?.status ?? 'interrupted', closing?.error ?? null]
      const texts = [toJson(thread, closing?.entries ?? []), ...left, toJson(thread, entries)]
      const refusals = { key_reused: () => new errors.KeyReusedError(key!) }
      const claim = { expectedHead, ids: [key ?? ''], refusals }
      const all = [...namesOf(thread), ...values, ...texts, markRecords(thread, marks)]
      const answer = await call('begin_turn', thread, all, claim)
      const { outcome, head, epoch } = answer
      const turn = toTurn(answer.turn)
      if (outcome === 'replayed') return { kind: 'replayed', turn, head }
      return { kind: 'begun', turn, lease: { owner, epoch }, head }
    },
    async resume(thread, { owner, leaseMs }) {
      const { outcome, head, epoch, turn } = await call('resume_turn', thread, [owner, leaseMs])
      if (outcome === 'none') return undefined
      return { kind: 'begun', turn: toTurn(turn), lease: { owner, epoch }, head }
    },
    append: (thread, turn) => append(thread, turn, null, null),
    end: (thread, turn) => append(thread, turn, turn.status, turn.error ?? null),
    async seed(thread, { expectedHead, entries }) {
      const values = [...namesOf(thread), expectedHead, toJson(thread, entries)]
      const { head } = await call('seed_entries', thread, values, { expectedHead })
      return { head }
    },
    async renew(thread, lease, leaseMs) {
      await call('renew_lease', thread, [lease.owner, lease.epoch, leaseMs], { lease })
    },
    async fork(thread, { at, branch }) {
      const refusals = { exists: () => errors.branchExists(branch), no_place: () => errors.notAPlace(at) }
      const claim = { ids: [thread.actor + branch], refusals }
      await call('fork_branch', thread, [at, branch], claim)
    },
    async erase(thread, seq, mark) {
      for await (const entry of entries(thread, { from: seq, to: seq })) {
        const [record] = toRecords(thread, [{ ...entry, ...mark }])
        const words = wordHashes(thread.tenant, mark.payload) ?? []
        const { checksum, tokens, payload } = record!
        await call('erase_entry', thread, [seq, checksum, tokens, payload, words])
        return true
      }
      await call('erase_entry', thread, [seq, 0, '', erasedPrefix, []])
      return false
    },
    async restore(thread, stretch) {
      const { forkOf, entries, turns } = stretch
      const fork = [forkOf?.branch ?? null, forkOf?.at ?? null]
      const from = entries[0]?.seq ?? turns[0]?.first ?? null
      const texts = [toJson(thread, entries), JSON.stringify(turns)]
      const values = [...namesOf(thread), ...fork, from, timesOf(stretch)?.first ?? null, ...texts]
      const refusals: Refusals = {
        missing: () => errors.noParent(forkOf!.branch),
        exists: () => errors.forkedElsewhere(thread.branch),
        no_place: () => errors.notAPlace(forkOf!.at),
        key_reused: ({ key }) => new errors.KeyReusedError(key),
      }
      const ids = turns.map(({ key = '' }) => key)
      const { head } = await call('restore_entries', thread, values, { ids, refusals })
      return { head }
    },
  } satisfies Partial<Store>
}

/** Marks as JSON text, counted from the first entry that is written with them. */
const markRecords = ({ tenant }: ThreadKey, marks: readonly Mark[]): string | null =>
  marks.length === 0
    ? null
    : JSON.stringify(marks.map(({ mark, at }) => ({ mark: markKey(tenant, mark), at })))

const namesOf = ({ tenant, conversation }: ThreadKey) => [tenant, conversation]

interface Output extends Readonly<Record<'head' | 'open' | 'epoch' | 'heldMs' | 'expected', number>> {
  readonly outcome: string
  readonly turn: Row
  readonly key: string
}

type Refusals = Readonly<Record<string, (answer: Output) => Error>>

/** What a write claims: its keys and errors are made of it. */
interface Claim {
  readonly expectedHead?: number | undefined
  readonly lease?: Lease
  /** The last parts of further keys. */
  readonly ids?: readonly string[]
  readonly refusals?: Refusals
}

/** Calls a schema function: one statement, so one transaction. Throws the error that its outcome stands for. */
const caller =
  ({ database, schema }: PostgresContext, indexer: WordIndexer) =>
  async (name: string, thread: ThreadKey, values: readonly unknown[], claim: Claim = {}): Promise<Output> => {
    const all = [...keyOf(thread, claim.ids), ...values]
    const places = all.map((_, index) => `$${index + 1}`).join(', ')
    const [row] = await database.write(`select ${schema}.${name}(${places})::text as answer`, all)
    const answer: Output = JSON.parse(String(row!.answer))
    const refusal = { ...refusalsOf(thread, claim), ...claim.refusals }[answer.outcome]
    if (refusal) throw refusal(answer)
    indexer.wake()
    return answer
  }

const refusalsOf = (thread: ThreadKey, { expectedHead, lease }: Claim): Refusals => ({
  deleted: () => new errors.NoConversationError(thread.conversation, true),
  missing: () => new errors.NoConversationError(thread.conversation, false),
  conflict: ({ expected, head }) =>
    new errors.ConflictError(errors.nameOf(thread), expectedHead ?? expected, head),
  turn_open: ({ open, heldMs }) => errors.turnOpen(thread, open, heldMs),
  lease_lost: () => errors.leaseLost(thread, lease!),
})

/**
 * A short way for nearly all appends: one new entry at the head, by the holder, on a branch without a shared past. It is
 * much faster than the schema's function, which knows all cases. A stored id breaks a unique constraint, so it is not
 * looked for. The count of rows says enough: to read one takes a tenth of the append. A look at the setting is faster than
 * a call.
 */
const appendSql = (schema: string) => `
  with b as (
    update ${schema}.branches set head = head + 1, updated_at = greatest(updated_at, ${schema}.now_ms())
    where key = $1 and actor = $2 and branch = $3 and lease_owner = $4 and epoch = $5 and head = $6
      and open_turn is not null and fork_of is null
      and (current_setting('synchronous_commit') <> 'off' or ${schema}.make_durable())
    returning key, line, head, open_turn
  )
  insert into ${schema}.entries (time, line, seq, turn, role, key, id, tokens, payload, checksum)
    select $9::double precision, line, head, open_turn, $8::${schema}.role, key, $7::text, $10::text, $11::text,
      ${withPlace('$12::bigint', 'head', 'open_turn')}
    from b`
