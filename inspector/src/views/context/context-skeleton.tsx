import { Late } from '../../parts/skeleton.tsx'
import styles from './context-skeleton.module.css'

/** The shape of the view in grey: the bar, the strip, rows. */
export function ContextSkeleton() {
  return (
    <Late>
      <div className={`grid gap-3 bones ${styles.shape}`} role="status" aria-label="Loading the context">
        <i className={styles.title} />
        <i className={styles.bar} />
        <div className={styles.columns}>
          <Rows widths={[80, 64, 90, 52, 76, 68, 84, 58, 72, 88, 60, 78]} />
          <Rows widths={[30, 18, 18, 40, 18, 18, 18, 44, 18, 18, 26, 18]} />
          <Rows widths={[92, 84, 60, 96, 72, 88, 54, 90, 66, 82, 74, 94]} />
        </div>
      </div>
    </Late>
  )
}

const Rows = ({ widths }: { readonly widths: readonly number[] }) => (
  <div className="grid gap-2">
    {widths.map((width, row) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: rows of a shape have no names
      <i key={row} style={{ width: `${width}%` }} />
    ))}
  </div>
)
