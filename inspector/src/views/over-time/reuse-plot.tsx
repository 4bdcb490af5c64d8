import { memo } from 'react'
import { percent } from '../../parts/format.ts'
import { type Step, type Sums, sumUp, toColumns } from './figures.ts'
import { barsPath, type Frame, Plot } from './plot.tsx'
import { someStep } from './sent-plot.tsx'

export interface ReusePlotProps {
  readonly frame: Frame
  readonly steps: readonly Step[]
  readonly by: 'turn' | 'call'
  readonly sums: Sums
  readonly cuts: number
  readonly isBusy: boolean
}

/** The share of each prompt that the model server had read before. A cut shows as a dip. */
export const ReusePlot = memo(function ReusePlot({ frame, steps, by, sums, cuts, isBusy }: ReusePlotProps) {
  const { width, height } = frame
  const columns = toColumns(steps.length, width)
  const wide = width / Math.max(1, columns.length)
  const gap = wide > 3 ? 1 : 0
  const bars = columns.map(([first, last], at) => {
    const { tokens, reused } = sumUp(steps.slice(first, last + 1).flatMap(({ points }) => points))
    const share = tokens === 0 ? 0 : reused / tokens
    const isCut = someStep(steps, first, last, step => step.cut !== undefined)
    return { isCut, bar: [at * wide, height * (1 - share), Math.max(1, wide - gap), height * share] as const }
  })
  const of = (isCut: boolean) => barsPath(bars.filter(one => one.isCut === isCut).map(({ bar }) => bar))
  const moved = cuts === 0 ? '' : `; ▴ the cut moved, ${cuts} ${cuts === 1 ? 'time' : 'times'}`
  return (
    <Plot
      frame={frame}
      answer={`${percent(sums.tokens === 0 ? 0 : sums.reused / sums.tokens)} had been read before`}
      about={`share of what was sent that need not be read again, by ${by}${moved}`}
      ticks={[
        { y: 0, text: '100 %' },
        { y: height / 2, text: '50 %' },
        { y: height, text: '0' },
      ]}
      isBusy={isBusy}
    >
      <path data-colour="reused" d={of(false)} />
      <path data-colour="reused" data-cut="true" d={of(true)} />
    </Plot>
  )
})
