import { EmptyState } from '../../parts/empty-state.tsx'

export function SettingsView() {
  return <EmptyState title="Settings">The theme, the key, and what this server can do.</EmptyState>
}
