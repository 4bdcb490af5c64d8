import { EmptyState } from '../../parts/empty-state.tsx'

export function SearchView() {
  return <EmptyState title="Search">Messages of all conversations, found by their words.</EmptyState>
}
