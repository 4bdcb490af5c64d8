import { EmptyState } from '../../parts/empty-state.tsx'

export function StateView() {
  return <EmptyState title="State">Typed values that are read from tool results.</EmptyState>
}
