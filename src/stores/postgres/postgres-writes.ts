import { InvalidOptionError } from '../../log/error.ts'
import { checkEntries, checkNames } from '../check-input.ts'
import { leaseLost, nameOf, notAPlace, turnOpen } from '../refusals.ts'
import type { Lease, NewEntry, Store, ThreadKey } from '../store.ts'
import { ConflictError, KeyReusedError, NoConversationError } from '../store-error.ts'
import { checkKey } from './check-key.ts'
import type { Database, Row } from './database.ts'
import { toTurn } from './read-rows.ts'
import { wordHashes } from './word-hashes.ts'

type Writes = Pick<Store, 'begin' | 'append' | 'end' | 'renew' | 'seed' | 'fork' | 'deleteConversation'>

/** What a function of the schema says: how it went, and what belongs to it. */
interface Answer {
  readonly outcome: string
  readonly head: number
  readonly turn: Row
  readonly open: number
  readonly epoch: number
  readonly leaseUntil: number
}

/** Each is one call of one function of the schema: see schema-turns.ts and schema-branches.ts. */
export function postgresWrites(database: Database, schema: string, maxEntryBytes: number): Writes {
  async function call(name: string, thread: ThreadKey, values: readonly unknown[]): Promise<Answer> {
    const all = [thread.tenant, thread.conversation, thread.actor, thread.branch, ...values]
    const places = all.map((_, index) => `$${index + 1}`).join(', ')
    const [row] = await database.write(`select ${schema}.${name}(${places})::text as answer`, all)
    const answer = JSON.parse(String(row!.answer)) as Answer
    if (answer.outcome === 'deleted') throw new NoConversationError(thread.conversation, true)
    return answer
  }

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
    const values = [lease.owner, lease.epoch, expectedHead, toJson(thread, entries), status, error]
    const answer = await call('append_entries', thread, values)
    return { head: headOf(thread, answer, expectedHead, lease) }
  }

  return {
    async begin(thread, { owner, leaseMs, expectedHead, key, body, closing = [], entries }) {
      checkKey(thread, [...closing, ...entries].map(({ id }) => id).concat(key ?? []))
      checkEntries([...closing, ...entries], maxEntryBytes)
      checkNames({ owner, key, body })
      const values = [owner, leaseMs, expectedHead ?? null, key ?? null, body ?? null]
      const texts = [toJson(thread, closing), toJson(thread, entries)]
      const answer = await call('begin_turn', thread, [...values, ...texts])
      if (answer.outcome === 'key_reused') throw new KeyReusedError(key!)
      const head = headOf(thread, answer, expectedHead ?? 0)
      const turn = toTurn(answer.turn)
      if (answer.outcome === 'replayed') return { kind: 'replayed', turn, head }
      return { kind: 'begun', turn, lease: { owner, epoch: answer.epoch }, head }
    },
    append: (thread, turn) => append(thread, turn, null, null),
    end: (thread, turn) => append(thread, turn, turn.status, turn.error ?? null),
    async seed(thread, { expectedHead, entries }) {
      checkKey(
        thread,
        entries.map(({ id }) => id),
      )
      checkEntries(entries, maxEntryBytes)
      const answer = await call('seed_entries', thread, [expectedHead, toJson(thread, entries)])
      return { head: headOf(thread, answer, expectedHead) }
    },
    async renew(thread, lease, leaseMs) {
      checkKey(thread)
      checkNames({ owner: lease.owner })
      const answer = await call('renew_lease', thread, [lease.owner, lease.epoch, leaseMs])
      headOf(thread, answer, 0, lease)
      return { leaseUntil: answer.leaseUntil }
    },
    async fork(thread, { at, branch }) {
      checkKey(thread)
      checkKey({ ...thread, branch })
      const { outcome } = await call('fork_branch', thread, [Number.isInteger(at) ? at : -1, branch])
      if (outcome === 'missing') throw new NoConversationError(thread.conversation, false)
      if (outcome === 'exists') throw new InvalidOptionError('branch', `"${branch}" exists already`)
      if (outcome !== 'ok') throw notAPlace(at)
    },
    async deleteConversation(tenant, conversation) {
      checkKey({ tenant, conversation, actor: '-', branch: '-' })
      const sql = `select ${schema}.delete_conversation($1, $2) as "isDone"`
      const [row] = await database.write(sql, [tenant, conversation])
      return row!.isDone === true
    },
  }
}

/** The head, or the error that the outcome stands for. */
function headOf(thread: ThreadKey, answer: Answer, expected: number, lease?: Lease): number {
  switch (answer.outcome) {
    case 'missing':
      throw new NoConversationError(thread.conversation, false)
    case 'conflict':
      throw new ConflictError(nameOf(thread), expected, answer.head)
    case 'turn_open':
      throw turnOpen(thread, { turn: answer.open })
    case 'lease_lost':
      throw leaseLost(thread, lease!)
    default:
      return answer.head
  }
}

/** One text for all entries of a call, each id once. */
function toJson({ tenant }: ThreadKey, entries: readonly NewEntry[]): string {
  const seen = new Set<string>()
  const once = entries.filter(({ id }) => !seen.has(id) && seen.add(id))
  return JSON.stringify(
    once.map(({ id, role, time, tokens, payload }) => ({
      id,
      role,
      time,
      tokens: JSON.stringify(tokens),
      words: wordHashes(tenant, payload),
      payload,
    })),
  )
}
