import { count, short } from '../../parts/format.ts'
import styles from './figures-between.module.css'

export interface FigurePair {
  readonly name: string
  readonly a: number | undefined
  readonly b: number | undefined
  /** Whether more is better. */
  readonly isMoreBetter: boolean
  readonly isShort?: boolean
}

/** Both sides in figures, back to back: the better one stands out. */
export function FiguresBetween({ pairs }: { readonly pairs: readonly FigurePair[] }) {
  return (
    <section className={`slim relative ${styles.between}`} aria-label="A against B">
      <dl>
        {pairs.map(({ name, a, b, isMoreBetter, isShort = false }) => {
          const most = Math.max(1, a ?? 0, b ?? 0)
          const write = (amount: number | undefined) =>
            amount === undefined ? '…' : isShort ? short(amount) : count(amount)
          const isBetter = (one: number | undefined, other: number | undefined) =>
            one !== undefined && other !== undefined && one !== other && isMoreBetter === one > other
          return (
            <div key={name}>
              <dd data-better={isBetter(a, b)} data-side="a">
                {write(a)}
                <i style={{ width: `${(32 * (a ?? 0)) / most}px` }} />
              </dd>
              <dt>{name}</dt>
              <dd data-better={isBetter(b, a)} data-side="b">
                <i style={{ width: `${(32 * (b ?? 0)) / most}px` }} />
                {write(b)}
              </dd>
            </div>
          )
        })}
      </dl>
    </section>
  )
}
