import type { ThreadKey } from '../stores/store.ts'

/**
 * Conversations and branches of side requests begin so: what a client of the server asks beside a conversation. Lists and
 * searches for users leave them out.
 */
export const sidePrefix = 'throughline:side:'

export const sideName = (id: string): string => `${sidePrefix}${id}`

export const isSideName = (name: string): boolean => name.startsWith(sidePrefix)

export const isSideThread = ({ conversation, branch }: Pick<ThreadKey, 'conversation' | 'branch'>): boolean =>
  isSideName(conversation) || isSideName(branch)
