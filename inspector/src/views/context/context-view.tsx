import { EmptyState } from '../../parts/empty-state.tsx'

export function ContextView() {
  return <EmptyState title="Context">The whole log, what of it reached the model, and why.</EmptyState>
}
