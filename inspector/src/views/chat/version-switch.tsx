import { ChevronLeft, ChevronRight } from 'lucide-react'
import { unless } from '../../parts/button.tsx'
import type { Versions } from './branch-tree.ts'

interface VersionSwitchProps {
  readonly versions: Versions
  readonly onOpen: (branch: string) => void
}

/** Goes from one way in which the conversation goes on here to the next: ‹ 2 / 3 ›. */
export function VersionSwitch({ versions: { versions, current }, onOpen }: VersionSwitchProps) {
  const step = (by: 1 | -1, label: string, end: string) => {
    const next = versions[current + by]
    const Icon = by < 0 ? ChevronLeft : ChevronRight
    return (
      <button type="button" aria-label={label} {...unless(next ? undefined : end, () => onOpen(next!.open))}>
        <Icon size={14} aria-hidden />
      </button>
    )
  }
  return (
    <span
      className="inline gap-2px rigid soft chip-text icons"
      role="group"
      aria-label={`Version ${current + 1} of ${versions.length}`}
    >
      {step(-1, 'Version before', 'This is the first version.')}
      <span>
        {current + 1} / {versions.length}
      </span>
      {step(1, 'Version after', 'This is the last version.')}
    </span>
  )
}
