import { EmptyState } from '../../parts/empty-state.tsx'

export function ConversationsView() {
  return (
    <EmptyState title="Conversations">All conversations with their windows, the live ones first.</EmptyState>
  )
}
