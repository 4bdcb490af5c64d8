import { EmptyState } from '../../parts/empty-state.tsx'

export function ChatView() {
  return (
    <EmptyState title="Chat">
      The conversation as its user sees it, its branches, and what was brought back for each answer.
    </EmptyState>
  )
}
