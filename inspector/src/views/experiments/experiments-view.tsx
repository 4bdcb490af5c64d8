import { EmptyState } from '../../parts/empty-state.tsx'

export function ExperimentsView() {
  return (
    <EmptyState title="Experiments">All experiments: which run, which are paused, how they ended.</EmptyState>
  )
}
