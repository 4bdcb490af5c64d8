import { EmptyState } from '../../parts/empty-state.tsx'

export function FirstVisit() {
  return (
    <EmptyState title="See what the model saw, and why it forgot">
      A sample to open, an experiment to run, a conversation to start.
    </EmptyState>
  )
}
