import type { ListedConversation } from '../api/conversation-list.ts'

/** The address of a conversation's newest thread: that is what its row shows. */
export function linkOf({ conversation, latest }: ListedConversation) {
  const { actor, branch } = latest ?? {}
  return {
    params: { conversation },
    search: {
      ...(actor !== undefined && actor !== 'assistant' && { actor }),
      ...(branch !== undefined && branch !== 'main' && { branch }),
    },
  }
}
