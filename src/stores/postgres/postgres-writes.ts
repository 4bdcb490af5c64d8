import { checkEntries, checkNames } from '../check-input.ts'
import { branchExists, notAPlace } from '../refusals.ts'
import type { Store, ThreadKey } from '../store.ts'
import { KeyReusedError, NoConversationError } from '../store-error.ts'
import { caller, headOf } from './answer.ts'
import { appendOne } from './append-one.ts'
import { checkKey } from './check-key.ts'
import type { Database } from './database.ts'
import { toTurn } from './read-rows.ts'
import type { ToRecords } from './to-records.ts'

type Writes = Pick<Store, 'begin' | 'resume' | 'append' | 'end' | 'renew' | 'seed' | 'fork'>

/** Each method is one call of one schema function. */
export function postgresWrites(
  database: Database,
  schema: string,
  maxEntryBytes: number,
  toRecords: ToRecords,
): Writes {
  const call = caller(database, schema)
  const appendAlone = appendOne(database, schema)

  async function append(
    thread: ThreadKey,
    { lease, expectedHead, entries }: Parameters<Store['append']>[1],
    status: string | null,
    error: string | null,
  ): Promise<{ head: number }> {
    checkKey(
      thread,
      entries.map(({ id }) => id),
    )
    checkEntries(entries, maxEntryBytes)
    checkNames({ owner: lease.owner, error: error ?? undefined })
    const records = toRecords(thread, entries)
    const [first] = records
    if (first && records.length === 1 && status === null) {
      const head = await appendAlone(thread, lease, expectedHead, first)
      if (head !== undefined) return { head }
    }
    const turn = [lease.owner, lease.epoch, expectedHead, status, error]
    const values = [...turn, records.length, JSON.stringify(records)]
    const answer = await call('append_entries', thread, values)
    return { head: headOf(thread, answer, expectedHead, lease) }
  }

  return {
    async begin(thread, { owner, leaseMs, expectedHead, key, body, closing = [], entries }) {
      checkKey(thread, [...closing, ...entries].map(({ id }) => id).concat(key ?? []))
      checkEntries([...closing, ...entries], maxEntryBytes)
      checkNames({ owner, key, body })
      const values = [owner, leaseMs, expectedHead ?? null, key ?? null, body ?? null]
      const texts = [closing, entries].map(part => JSON.stringify(toRecords(thread, part)))
      const answer = await call('begin_turn', thread, [...namesOf(thread), ...values, ...texts])
      if (answer.outcome === 'key_reused') throw new KeyReusedError(key!)
      const head = headOf(thread, answer, expectedHead ?? 0)
      const turn = toTurn(answer.turn)
      if (answer.outcome === 'replayed') return { kind: 'replayed', turn, head }
      return { kind: 'begun', turn, lease: { owner, epoch: answer.epoch }, head }
    },
    async resume(thread, { owner, leaseMs }) {
      checkKey(thread)
      checkNames({ owner })
      const answer = await call('resume_turn', thread, [owner, leaseMs])
      if (answer.outcome === 'none') return undefined
      const head = headOf(thread, answer, 0)
      return { kind: 'begun', turn: toTurn(answer.turn), lease: { owner, epoch: answer.epoch }, head }
    },
    append: (thread, turn) => append(thread, turn, null, null),
    end: (thread, turn) => append(thread, turn, turn.status, turn.error ?? null),
    async seed(thread, { expectedHead, entries }) {
      checkKey(
        thread,
        entries.map(({ id }) => id),
      )
      checkEntries(entries, maxEntryBytes)
      const json = JSON.stringify(toRecords(thread, entries))
      const answer = await call('seed_entries', thread, [...namesOf(thread), expectedHead, json])
      return { head: headOf(thread, answer, expectedHead) }
    },
    async renew(thread, lease, leaseMs) {
      checkKey(thread)
      checkNames({ owner: lease.owner })
      const answer = await call('renew_lease', thread, [lease.owner, lease.epoch, leaseMs])
      headOf(thread, answer, 0, lease)
    },
    async fork(thread, { at, branch }) {
      checkKey(thread)
      checkKey({ ...thread, branch })
      const { outcome } = await call('fork_branch', thread, [Number.isInteger(at) ? at : -1, branch])
      if (outcome === 'missing') throw new NoConversationError(thread.conversation, false)
      if (outcome === 'exists') throw branchExists(branch)
      if (outcome !== 'ok') throw notAPlace(at)
    },
  }
}

const namesOf = ({ tenant, conversation }: ThreadKey) => [tenant, conversation]
