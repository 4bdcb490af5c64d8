import { EmptyState } from '../../parts/empty-state.tsx'

export function NotesView() {
  return <EmptyState title="Notes">What the model wrote to itself.</EmptyState>
}
