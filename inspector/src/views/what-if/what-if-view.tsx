import { EmptyState } from '../../parts/empty-state.tsx'

export function WhatIfView() {
  return (
    <EmptyState title="What if">Two windows and policies side by side, and what either loses.</EmptyState>
  )
}
