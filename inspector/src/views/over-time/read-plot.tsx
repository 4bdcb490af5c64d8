import { amountOf, percent, short } from '../../parts/format.ts'
import { barsPath, linearScale, linePath, moveApart, type PlotPoint, toTicks } from '../../parts/plot.ts'
import styles from './plot.module.css'
import { type DrawnProps, Plot } from './plot.tsx'
import { type Course, sumUp } from './use-course.ts'

/** What the model server had to read from the beginning to each turn, beside what it would have read with other policies. */
export function ReadPlot({ course, columns, frame }: DrawnProps) {
  const { steps, sums, real, compared, others, isWhole } = course
  const { width, height } = frame
  const most = [real, compared, ...others].reduce((max, one) => Math.max(max, one.sums.at(-1) ?? 0), 1) * 1.06
  const y = linearScale([0, most], [height, 0])
  const points = ({ sums }: Course['real']) =>
    columns.flatMap(({ last, middle }): PlotPoint[] =>
      sums[last] === undefined ? [] : [[middle, y(sums[last])]],
    )
  const [realPoints, comparedPoints] = [points(real), points(compared)]
  const shared = Math.min(realPoints.length, comparedPoints.length)
  const isLess = (compared.sums.at(-1) ?? 0) >= (real.sums[compared.sums.length - 1] ?? 0)
  const between = [...realPoints.slice(0, shared), ...comparedPoints.slice(0, shared).reverse()]
  const labels = [
    { ...real, kind: 'own' },
    { ...compared, kind: 'compared' },
    ...(width < 500 ? [] : others).map(other => ({ ...other, kind: 'other' })),
  ].flatMap(({ name, sums, kind }) => {
    const total = sums.at(-1)
    if (total === undefined) return []
    // A line that grows says so.
    const text = `${name}: ${short(total)}${sums.length < steps.length ? ' so far' : ''}`
    return [{ text, kind, x: Math.max(120, (sums.length / steps.length) * width - 8), at: y(total) - 6 }]
  })
  return (
    <Plot
      {...{ frame, isWhole }}
      answer={
        real.sums.length === 0 ? 'What had to be read' : `${short(real.sums.at(-1)!)} tokens had to be read`
      }
      about={`added up over ${amountOf(sums.calls, 'call')}, against what other policies would have cost here`}
      ticks={toTicks(most, height / 34, y)}
    >
      {shared > 1 && <path className={isLess ? styles.less : styles.more} d={`${linePath(between)}z`} />}
      {others.map(other => (
        <path key={other.name} className={styles.other} d={linePath(points(other))} />
      ))}
      <path className={styles.compared} d={linePath(comparedPoints)} />
      <path className={styles.own} d={linePath(realPoints)} />
      {moveApart(labels, 14, [10, height - 2]).map(({ text, kind, x, at }) => (
        <text key={text} className={styles.label} data-kind={kind} x={x} y={at}>
          {text}
        </text>
      ))}
    </Plot>
  )
}

/** The share of each prompt that the model server had read before. A cut shows as a dip. */
export function ReusePlot({ course, columns, frame }: DrawnProps) {
  const { by, sums, cuts, isWhole } = course
  const { height } = frame
  const bars = (isCut: boolean) =>
    barsPath(
      columns
        .filter(column => column.isCut === isCut)
        .map(({ left, wide, points }) => {
          const { share } = sumUp(points)
          return [left, height * (1 - share), wide, height * share]
        }),
    )
  const moved = cuts === 0 ? '' : `; ▴ history cut, ${amountOf(cuts, 'time')}`
  return (
    <Plot
      {...{ frame, isWhole }}
      answer={`${percent(sums.share)} was a cached prefix (estimate)`}
      about={`share of what was sent that the model server need not read again, by ${by}${moved}`}
      ticks={[
        { y: 0, text: '100 %' },
        { y: height / 2, text: '50 %' },
        { y: height, text: '0' },
      ]}
    >
      <path data-colour="reused" d={bars(false)} />
      <path data-colour="reused" data-cut="true" d={bars(true)} />
    </Plot>
  )
}
