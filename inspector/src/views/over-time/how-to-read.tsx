import { useMemo } from 'react'
import { percent } from '../../parts/format.ts'
import { type Step, sumUp } from './figures.ts'
import styles from './how-to-read.module.css'

/** What the dips mean. Says nothing where nothing was cut. */
export function HowToRead({ cuts, steps }: { readonly cuts: number; readonly steps: readonly Step[] }) {
  const between = useMemo(
    () => sumUp(steps.filter(({ cut }) => !cut).flatMap(({ points }) => points)),
    [steps],
  )
  if (cuts === 0) return null
  return (
    <section className={`soft text-12-18 ${styles.how}`}>
      <h3>How to read it</h3>
      <p>
        A dip in the green bars is the price of a cut: the prompt is read again from where it changed.{' '}
        <b className="clear">
          {cuts} {cuts === 1 ? 'cut' : 'cuts'}
        </b>{' '}
        so far; between them{' '}
        <b className="clear">{percent(between.tokens === 0 ? 0 : between.reused / between.tokens)}</b> is
        reused.
      </p>
    </section>
  )
}
