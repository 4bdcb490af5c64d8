import { memo } from 'react'
import { amountOf, short } from '../../parts/format.ts'
import { policyInWords, type Running, toColumns, toTicks } from './figures.ts'
import styles from './plot.module.css'
import { type Frame, linePath, Plot } from './plot.tsx'

export interface ReadPlotProps {
  readonly frame: Frame
  readonly steps: number
  readonly calls: number
  readonly own: Running
  /** The policy that is compared with; then others, for orientation. */
  readonly compared: Running | undefined
  readonly others: readonly Running[]
  readonly isBusy: boolean
}

/** What the model server had to read from the beginning to each turn, beside what it would have read with other policies. */
export const ReadPlot = memo(function ReadPlot(props: ReadPlotProps) {
  const { frame, steps, calls, own, compared, others, isBusy } = props
  const { width, height } = frame
  const all = [own, ...(compared ? [compared] : []), ...others]
  const most = all.reduce((max, { sums }) => Math.max(max, sums.at(-1) ?? 0), 1) * 1.06
  const y = (tokens: number) => height - (tokens / most) * height
  const columns = toColumns(steps, width)
  const points = ({ sums }: Running) =>
    columns.flatMap(([, last], at) =>
      sums[last] === undefined ? [] : [[((at + 0.5) * width) / columns.length, y(sums[last]!)] as const],
    )
  const ownPoints = points(own)
  const comparedPoints = compared ? points(compared) : []
  const shared = Math.min(ownPoints.length, comparedPoints.length)
  const isLess = (compared?.sums.at(-1) ?? 0) >= (own.sums[(compared?.sums.length ?? 1) - 1] ?? 0)
  const between = [...ownPoints.slice(0, shared), ...comparedPoints.slice(0, shared).reverse()]
  const isSlim = width < 500
  const labels = toLabels(
    [
      { ...own, kind: 'own' },
      ...(compared ? [{ ...compared, name: policyInWords(compared.name), kind: 'compared' }] : []),
      ...(isSlim ? [] : others).map(other => ({ ...other, name: policyInWords(other.name), kind: 'other' })),
    ],
    { y, height, steps },
  )
  return (
    <Plot
      frame={frame}
      answer={
        own.sums.length === 0 ? 'What had to be read' : `${short(own.sums.at(-1)!)} tokens had to be read`
      }
      about={`added up over ${amountOf(calls, 'call')}, against what other policies would have cost here`}
      ticks={toTicks(most, height / 34, y)}
      isBusy={isBusy}
    >
      {shared > 1 && <path className={isLess ? styles.less : styles.more} d={`${linePath(between)}z`} />}
      {others.map(other => (
        <path key={other.name} className={styles.other} d={linePath(points(other))} />
      ))}
      <path className={styles.compared} d={linePath(comparedPoints)} />
      <path className={styles.own} d={linePath(ownPoints)} />
      {labels.map(({ text, kind, known, at }) => (
        <text
          key={text}
          className={styles.label}
          data-kind={kind}
          x={Math.max(120, (known / Math.max(1, steps)) * width - 8)}
          y={at}
        >
          {text}
        </text>
      ))}
    </Plot>
  )
})

interface Label {
  readonly text: string
  readonly kind: string
  /** How many steps its line has. */
  readonly known: number
  readonly at: number
}

/** Names at the ends of the lines, pushed apart where they would stand on each other. A line that grows says so. */
function toLabels(
  lines: readonly (Running & { readonly kind: string })[],
  {
    y,
    height,
    steps,
  }: { readonly y: (tokens: number) => number; readonly height: number; readonly steps: number },
): readonly Label[] {
  const apart = 14
  const placed = lines
    .filter(({ sums }) => sums.length > 0)
    .map(({ name, sums, kind }) => ({
      known: sums.length,
      text: `${name}: ${short(sums.at(-1)!)}${sums.length < steps ? ' so far' : ''}`,
      kind,
      at: y(sums.at(-1)!) - 6,
    }))
    .sort((a, b) => a.at - b.at)
  // Downwards, then up again from the lowest line.
  for (const [index, label] of placed.entries())
    label.at = Math.max(label.at, (placed[index - 1]?.at ?? -apart) + apart, 10)
  for (let index = placed.length - 1; index >= 0; index--)
    placed[index]!.at = Math.min(placed[index]!.at, (placed[index + 1]?.at ?? height + apart - 2) - apart)
  return placed
}
