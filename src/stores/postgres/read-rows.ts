import type { Role } from '../../log/message.ts'
import { nameOf } from '../refusals.ts'
import type { StoredCall, StoredEntry, StoredTurn, ThreadKey } from '../store.ts'
import { CorruptEntryError } from '../store-error.ts'
import { conversationKey } from './conversation-key.ts'
import type { Row } from './pg-client.ts'

/** From rows to what the store gives. Absent fields are null in the database, and absent here. */
export function toTurn(row: Row): StoredTurn {
  return {
    turn: Number(row.turn),
    status: row.status as StoredTurn['status'],
    first: Number(row.first),
    last: Number(row.last),
    startedAt: Number(row.startedAt),
    ...(row.endedAt === null ? {} : { endedAt: Number(row.endedAt) }),
    ...(row.error === null ? {} : { error: String(row.error) }),
    ...(row.key === null ? {} : { key: String(row.key) }),
    ...(row.body === null ? {} : { body: String(row.body) }),
  }
}

export function toEntry(thread: ThreadKey, row: Row): StoredEntry {
  const seq = Number(row.seq)
  return {
    id: String(row.id),
    role: row.role as Role,
    time: Number(row.time),
    payload: String(row.payload),
    tokens: toTokens(thread, seq, String(row.tokens)),
    seq,
    turn: Number(row.turn),
  }
}

export const toCall = (row: Row): StoredCall => ({
  id: String(row.id),
  turn: Number(row.turn),
  time: Number(row.time),
  model: String(row.model),
  plan: String(row.plan),
  predicted: Number(row.predicted),
  ...(row.reported === null ? {} : { reported: Number(row.reported) }),
  status: row.status as StoredCall['status'],
  ...(row.error === null ? {} : { error: String(row.error) }),
})

export const keyOf = (thread: ThreadKey): readonly string[] => [
  conversationKey(thread),
  thread.actor,
  thread.branch,
]

function toTokens(thread: ThreadKey, seq: number, text: string): StoredEntry['tokens'] {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new CorruptEntryError(nameOf(thread), seq, 'its token counts are no JSON', { cause })
  }
}
