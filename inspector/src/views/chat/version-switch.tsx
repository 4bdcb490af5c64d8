import { ChevronLeft, ChevronRight } from 'lucide-react'
import { unless } from '../../parts/button.tsx'
import type { Versions } from './branch-tree.ts'

/** Goes from one way in which the conversation goes on here to the next: ‹ 2 / 3 ›. */
export function VersionSwitch({
  versions: { versions, current },
  onOpen,
}: {
  readonly versions: Versions
  readonly onOpen: (branch: string) => void
}) {
  const go = (by: number) => {
    const next = versions[current + by]
    return next && (() => onOpen(next.open))
  }
  const [before, after] = [go(-1), go(1)]
  return (
    <span
      className="inline gap-2px rigid soft chip-text icons"
      role="group"
      aria-label={`Version ${current + 1} of ${versions.length}`}
    >
      <button
        type="button"
        aria-label="Version before"
        {...unless(before ? undefined : 'This is the first version.', before)}
      >
        <ChevronLeft size={14} aria-hidden />
      </button>
      <span>
        {current + 1} / {versions.length}
      </span>
      <button
        type="button"
        aria-label="Version after"
        {...unless(after ? undefined : 'This is the last version.', after)}
      >
        <ChevronRight size={14} aria-hidden />
      </button>
    </span>
  )
}
