import type { ListedConversation } from '../api/conversation-list.ts'
import { toThreadSearch } from './address.ts'

/** The address of a conversation's newest thread: that is what its row shows. */
export const linkOf = ({ conversation, latest }: ListedConversation) => ({
  params: { conversation },
  search: toThreadSearch(latest),
})
