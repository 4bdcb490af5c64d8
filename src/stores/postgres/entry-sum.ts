import { checksum } from '../checksum.ts'
import type { NewEntry, ThreadKey } from '../store.ts'
import { conversationKey } from './conversation-key.ts'

/**
 * A checksum of an entry's content and its conversation, stored with it to notice changes. The database adds the entry's
 * place, which it only knows when writing (`withPlace` in schema/fragments.ts).
 */
export const entrySum = (
  thread: Pick<ThreadKey, 'tenant' | 'conversation'>,
  { id, role, time, payload }: Omit<NewEntry, 'tokens'>,
  tokens: string,
): number => checksum([conversationKey(thread), id, role, time, tokens, payload])

/** Computes what `withPlace` computes in SQL. */
export const sumWithPlace = (sum: number, seq: number, turn: number): number => sum + seq * 31 + turn * 1009
