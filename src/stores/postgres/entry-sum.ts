import { checksum } from '../checksum.ts'
import type { NewEntry, ThreadKey } from '../store.ts'
import { conversationKey } from './conversation-key.ts'

/**
 * What is stored with an entry to notice that it has changed: a checksum of its content and its conversation. The database
 * adds its place, which only the database knows when it is written (`withPlace` in schema/fragments.ts).
 */
export const entrySum = (
  thread: Pick<ThreadKey, 'tenant' | 'conversation'>,
  { id, role, time, payload }: Omit<NewEntry, 'tokens'>,
  tokens: string,
): number => checksum([conversationKey(thread), id, role, time, tokens, payload])

/** The same as `withPlace`. */
export const sumWithPlace = (sum: number, seq: number, turn: number): number => sum + seq * 31 + turn * 1009
