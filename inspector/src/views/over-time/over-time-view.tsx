import { EmptyState } from '../../parts/empty-state.tsx'

export function OverTimeView() {
  return (
    <EmptyState title="Over time">
      What was sent in each turn, what was read again, and what other policies would have cost.
    </EmptyState>
  )
}
