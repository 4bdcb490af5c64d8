import type { ConversationInfo } from '../stored.ts'

/** When a conversation was last written to, read, quoted, described or imported. Retention goes by this. */
export const lastUseOf = ({
  updatedAt,
  usedAt = 0,
}: Pick<ConversationInfo, 'updatedAt' | 'usedAt'>): number => Math.max(updatedAt, usedAt)

/** Whether a use is written down: only one that is this much later. Else every look at an open page would be a write. */
export const isLaterUse = (now: number, usedAt = 0): boolean => now - usedAt >= useStep

/** In milliseconds. */
export const useStep = 60_000
