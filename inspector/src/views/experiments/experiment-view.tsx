import { EmptyState } from '../../parts/empty-state.tsx'

export function ExperimentView() {
  return <EmptyState title="Experiment">Who did what in which step, and how far the goal is.</EmptyState>
}
