import { EmptyState } from '../../parts/empty-state.tsx'

export function DumpView() {
  return (
    <EmptyState title="Dump">
      The context as plain text: everything that the model gets, and nothing else.
    </EmptyState>
  )
}
