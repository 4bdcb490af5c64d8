import { amountOf, percent } from '../../parts/format.ts'
import { barsPath } from '../../parts/plot.ts'
import { sumUp } from './course.ts'
import { type DrawnProps, Plot } from './plot.tsx'

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
