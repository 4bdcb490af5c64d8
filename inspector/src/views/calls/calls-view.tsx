import { EmptyState } from '../../parts/empty-state.tsx'

export function CallsView() {
  return <EmptyState title="Calls">Every model call, with what was sent byte for byte.</EmptyState>
}
