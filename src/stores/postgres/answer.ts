import { leaseLost, nameOf, turnOpen } from '../refusals.ts'
import type { Lease, ThreadKey } from '../store.ts'
import { ConflictError, NoConversationError } from '../store-error.ts'
import type { Database } from './database.ts'
import type { Row } from './pg-client.ts'
import { keyOf } from './read-rows.ts'

/** The answer of a schema function: its outcome, and the data that belongs to it. */
export interface Answer {
  readonly outcome: string
  readonly head: number
  readonly turn: Row
  readonly open: number
  readonly epoch: number
  readonly heldMs: number
  readonly expected: number
  readonly key: string
}

export type Call = (name: string, thread: ThreadKey, values: readonly unknown[]) => Promise<Answer>

/** Calls a schema function: one statement, so one transaction. */
export const caller =
  (database: Database, schema: string): Call =>
  async (name, thread, values) => {
    const all = [...keyOf(thread), ...values]
    const places = all.map((_, index) => `$${index + 1}`).join(', ')
    const [row] = await database.write(`select ${schema}.${name}(${places})::text as answer`, all)
    const answer = JSON.parse(String(row!.answer)) as Answer
    if (answer.outcome === 'deleted') throw new NoConversationError(thread.conversation, true)
    return answer
  }

/** Returns the head, or throws the error that the outcome stands for. */
export function headOf(thread: ThreadKey, answer: Answer, expected: number, lease?: Lease): number {
  switch (answer.outcome) {
    case 'missing':
      throw new NoConversationError(thread.conversation, false)
    case 'conflict':
      throw new ConflictError(nameOf(thread), expected, answer.head)
    case 'turn_open':
      throw turnOpen(thread, answer.open, answer.heldMs)
    case 'lease_lost':
      throw leaseLost(thread, lease!)
    default:
      return answer.head
  }
}
