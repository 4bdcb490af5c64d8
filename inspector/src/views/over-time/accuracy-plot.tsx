import { amountOf, percent } from '../../parts/format.ts'
import { type Bar, barsPath, linearScale } from '../../parts/plot.ts'
import styles from './plot.module.css'
import { type DrawnProps, Plot } from './plot.tsx'
import { type Course, ratioOf } from './use-course.ts'

/** Our count of the tokens over what the model reported. Below 1 we predicted too little. */
export function AccuracyPlot({ course: { accuracy, isWhole }, columns, frame }: DrawnProps) {
  const { width, height } = frame
  const { reported, without, lowest, highest } = accuracy
  const low = Math.min(0.9, Math.floor(Math.max(0, lowest) * 10) / 10)
  const high = Math.max(1.1, Math.ceil(Math.min(3, highest) * 10) / 10)
  const scale = linearScale([low, high], [height, 0])
  const y = (ratio: number) => scale(Math.min(high, Math.max(low, ratio)))
  const ratios = columns
    .filter(({ points }) => points.length > 0)
    .map(({ middle, points }) => ({ middle, ratio: ratioOf(points) }))
  const squares = (isWanted: (ratio: number) => boolean) =>
    barsPath(
      ratios.flatMap(({ middle, ratio }): Bar[] =>
        ratio !== undefined && isWanted(ratio) ? [[middle - 1.5, y(ratio) - 1.5, 3, 3]] : [],
      ),
    )
  const step = high - low > 1 ? 0.5 : high - low > 0.5 ? 0.2 : 0.1
  const ticks = [low, 1, high].filter((ratio, at, all) =>
    all.every((other, before) => before >= at || Math.abs(other - ratio) >= step * 0.8),
  )
  const missing = without === 0 ? '' : `; ${amountOf(without, 'call')} without a report, as ticks below`
  return (
    <Plot
      {...{ frame, isWhole }}
      answer={inWords(accuracy)}
      about={
        reported === 0
          ? 'no call of this thread reported how many tokens the model read'
          : `our count over what the model reported${missing}`
      }
      ticks={reported === 0 ? [] : ticks.map(ratio => ({ y: y(ratio), text: ratio.toFixed(1) }))}
      foot={4}
    >
      {reported > 0 && <path className={styles.exact} d={`M0 ${y(1) + 0.5}H${width}`} />}
      <path
        className={styles.without}
        d={barsPath(
          ratios.flatMap(({ middle, ratio }): Bar[] =>
            ratio === undefined ? [[middle - 1, height, 2, 4]] : [],
          ),
        )}
      />
      <path className={styles.dots} d={squares(ratio => ratio >= 1)} />
      <path className={styles.low} d={squares(ratio => ratio < 1)} />
    </Plot>
  )
}

/** `Predicted 19 % too much on average, never too little` */
function inWords({ reported, mean, lowest }: Course['accuracy']): string {
  if (reported === 0) return 'Nothing was reported'
  const isExact = Math.abs(mean) < 0.005
  const usual = isExact
    ? 'Predicted as reported'
    : `Predicted ${percent(Math.abs(mean))} too ${mean > 0 ? 'much' : 'little'} on average`
  const worst = lowest >= 1 ? 'never too little' : `at worst ${percent(1 - lowest)} too little`
  return isExact && lowest >= 0.995 ? usual : `${usual}, ${worst}`
}
