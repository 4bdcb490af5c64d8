import { memo } from 'react'
import { amountOf, percent } from '../../parts/format.ts'
import { type Accuracy, ratioOf, type Step, toColumns } from './figures.ts'
import styles from './plot.module.css'
import { barsPath, type Frame, Plot } from './plot.tsx'

export interface AccuracyPlotProps {
  readonly frame: Frame
  readonly steps: readonly Step[]
  readonly accuracy: Accuracy
  readonly isBusy: boolean
}

/** Our count of the tokens over what the model reported. Below 1 we predicted too little. */
export const AccuracyPlot = memo(function AccuracyPlot({
  frame,
  steps,
  accuracy,
  isBusy,
}: AccuracyPlotProps) {
  const { width, height } = frame
  const columns = toColumns(steps.length, width)
  const wide = width / Math.max(1, columns.length)
  const { reported, without, lowest, highest } = accuracy
  const low = Math.min(0.9, Math.floor(Math.max(0, lowest) * 10) / 10)
  const high = Math.max(1.1, Math.ceil(Math.min(3, highest) * 10) / 10)
  const y = (ratio: number) => height - ((Math.min(high, Math.max(low, ratio)) - low) / (high - low)) * height
  const dots = columns.flatMap(([first, last], at) => {
    const points = steps.slice(first, last + 1).flatMap(step => step.points)
    const ratio = ratioOf(points)
    return points.length === 0 ? [] : [{ x: (at + 0.5) * wide, ratio }]
  })
  const squares = (wanted: (ratio: number) => boolean) =>
    barsPath(
      dots.flatMap(({ x, ratio }) =>
        ratio !== undefined && wanted(ratio) ? [[x - 1.5, y(ratio) - 1.5, 3, 3] as const] : [],
      ),
    )
  const step = high - low > 1 ? 0.5 : high - low > 0.5 ? 0.2 : 0.1
  const ticks = [low, 1, high].filter((ratio, at, all) =>
    all.every((other, before) => before >= at || Math.abs(other - ratio) >= step * 0.8),
  )
  return (
    <Plot
      frame={frame}
      answer={inWords(accuracy)}
      about={
        reported === 0
          ? 'no call of this thread reported how many tokens the model read'
          : `our count over what the model reported${without === 0 ? '' : `; ${amountOf(without, 'call')} without a report, as ticks below`}`
      }
      ticks={reported === 0 ? [] : ticks.map(ratio => ({ y: y(ratio), text: ratio.toFixed(1) }))}
      isBusy={isBusy}
      foot={4}
    >
      {reported > 0 && <path className={styles.exact} d={`M0 ${y(1) + 0.5}H${width}`} />}
      <path
        className={styles.without}
        d={barsPath(
          dots.flatMap(({ x, ratio }) => (ratio === undefined ? [[x - 1, height, 2, 4] as const] : [])),
        )}
      />
      <path className={styles.dots} d={squares(ratio => ratio >= 1)} />
      <path className={styles.low} d={squares(ratio => ratio < 1)} />
    </Plot>
  )
})

/** `Predicted 19 % too much on average, never too little` */
export function inWords({ reported, mean, lowest }: Accuracy): string {
  if (reported === 0) return 'Nothing was reported'
  const size = percent(Math.abs(mean))
  const usual =
    Math.abs(mean) < 0.005
      ? 'Predicted as reported'
      : `Predicted ${size} too ${mean > 0 ? 'much' : 'little'} on average`
  const worst = lowest >= 1 ? 'never too little' : `at worst ${percent(1 - lowest)} too little`
  return Math.abs(mean) < 0.005 && lowest >= 0.995 ? usual : `${usual}, ${worst}`
}
