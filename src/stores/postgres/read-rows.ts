import type { Role } from '../../log/message.ts'
import { checksum } from '../checksum.ts'
import { nameOf } from '../refusals.ts'
import type { StoredCall, StoredEntry, StoredTurn, ThreadKey } from '../store.ts'
import { CorruptEntryError, StoreError } from '../store-error.ts'
import { conversationKey } from './conversation-key.ts'
import { entrySum, sumWithPlace } from './entry-sum.ts'
import type { Row } from './pg-client.ts'

/** Rows as the store returns them: a null column becomes an absent field. */
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
  const [seq, turn, tokens] = [Number(row.seq), Number(row.turn), String(row.tokens)]
  const [id, role, time, payload] = [String(row.id), row.role as Role, Number(row.time), String(row.payload)]
  const sum = sumWithPlace(entrySum(thread, { id, role, time, payload }, tokens), seq, turn)
  if (sum !== Number(row.checksum))
    throw new CorruptEntryError(nameOf(thread), seq, 'it is not what was stored, its checksum differs')
  return { id, role, time, payload, tokens: toTokens(thread, seq, tokens), seq, turn }
}

export function toCall(thread: ThreadKey, row: Row): StoredCall {
  const call: StoredCall = {
    id: String(row.id),
    turn: Number(row.turn),
    time: Number(row.time),
    model: String(row.model),
    plan: String(row.plan),
    predicted: Number(row.predicted),
    ...(row.reported === null ? {} : { reported: Number(row.reported) }),
    status: row.status as StoredCall['status'],
    ...(row.error === null ? {} : { error: String(row.error) }),
  }
  if (callSum(thread, call) === Number(row.checksum)) return call
  const problem = `The call "${call.id}" of thread ${nameOf(thread)} is not what was stored, its checksum differs.`
  throw new StoreError('store_corrupt', `${problem} Run "throughline log check".`)
}

export function callSum(thread: ThreadKey, call: StoredCall): number {
  const { id, turn, time, model, plan, predicted, reported = null, status, error = null } = call
  const values = [id, turn, time, model, plan, predicted, reported, status, error]
  return checksum([...keyOf(thread), ...values])
}

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
