import { useEffect, useState } from 'react'
import styles from './skeleton.module.css'

interface SkeletonProps {
  readonly rows?: number
  readonly label?: string
}

/** The shape of what is coming, in grey. It shows after 150 ms: what comes sooner does not flicker. */
export function Skeleton({ rows = 8, label = 'Loading' }: SkeletonProps) {
  return (
    <Late>
      <div className={`grid gap-3 bones ${styles.skeleton}`} role="status" aria-label={label}>
        {Array.from({ length: rows }, (_, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows of a shape have no names
          <i key={row} style={{ width: `${widths[row % widths.length]}%` }} />
        ))}
      </div>
    </Late>
  )
}

const widths = [38, 92, 71, 84, 64, 88, 52, 77]

export function Late({ ms = 150, children }: { readonly ms?: number; readonly children: React.ReactNode }) {
  return useLate(ms) ? children : null
}

export function useLate(ms: number): boolean {
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), ms)
    return () => clearTimeout(timer)
  }, [ms])
  return isLate
}
