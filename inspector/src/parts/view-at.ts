import type { ConversationSearch } from './address.ts'

/** The address of a view of a conversation, for links and for `navigate`. */
export function viewAt<View extends 'chat' | 'context' | 'over-time' | 'tools'>(
  view: View,
  conversation: string,
  search: ConversationSearch = {},
) {
  return { to: `/c/$conversation/${view}`, params: { conversation }, search } as const
}

/** The address of the board of an experiment. */
export const boardAt = (experiment: string) =>
  ({ to: '/e/$experiment', params: { experiment }, search: {} }) as const
