import { useMemo } from 'react'
import type { Observable } from '../../api/observable.ts'
import { toDays, type toStops } from '../../parts/stops.ts'
import { isNarrow, useMedia } from '../../parts/use-media.ts'
import { useSize } from '../../parts/use-size.ts'
import { AccuracyPlot } from './accuracy-plot.tsx'
import { accuracyOf, type Running, type Step, sumUp } from './figures.ts'
import { PlotCursor } from './plot-cursor.tsx'
import styles from './plots.module.css'
import { ReadPlot } from './read-plot.tsx'
import { ReusePlot } from './reuse-plot.tsx'
import { SentPlot } from './sent-plot.tsx'

export interface PlotsProps {
  readonly steps: readonly Step[]
  readonly by: 'turn' | 'call'
  readonly points: Parameters<typeof toStops>[1]
  readonly cuts: number
  readonly running: {
    readonly own: Running
    readonly compared: Running | undefined
    readonly others: readonly Running[]
  }
  readonly selected: number
  readonly hover: Observable<number | undefined>
  readonly isBusy: boolean
  readonly onPick: (index: number) => void
}

/** The plots over one axis, with a cursor through all of them. */
export function Plots(props: PlotsProps) {
  const { steps, by, points, cuts, running, selected, hover, isBusy, onPick } = props
  const [setArea, size] = useSize<HTMLDivElement>()
  const isSlim = useMedia(isNarrow)
  const gutter = isSlim ? 38 : 44
  const width = Math.max(80, size.width - gutter - (isSlim ? 24 : 36))
  // A narrow page scrolls as a whole: its plots are as high as they like.
  const room = isSlim ? 0 : size.height
  const accuracy = useMemo(() => accuracyOf(points), [points])
  const hasReports = accuracy.reported > 0
  const heights = useMemo(() => toHeights(room, hasReports), [room, hasReports])
  const frames = useMemo(() => heights.map(height => ({ width, height, gutter })), [heights, width, gutter])
  const sums = useMemo(() => sumUp(points), [points])
  const days = useMemo(() => toDays(steps, width), [steps, width])
  const [sent, reuse, read, exact] = frames as [Frame, Frame, Frame, Frame]
  return (
    <div className={`low on-panel ${styles.scroller}`} ref={setArea}>
      <div className={`grid single gap-3 relative from-top ${styles.plots}`}>
        {size.width > 0 && (
          <>
            <SentPlot frame={sent} steps={steps} by={by} isBusy={isBusy} />
            <ReusePlot frame={reuse} steps={steps} by={by} sums={sums} cuts={cuts} isBusy={isBusy} />
            <ReadPlot
              frame={read}
              steps={steps.length}
              calls={sums.calls}
              own={running.own}
              compared={running.compared}
              others={running.others}
              isBusy={isBusy}
            />
            <AccuracyPlot frame={exact} steps={steps} accuracy={accuracy} isBusy={isBusy} />
            <div className="days" style={{ marginLeft: gutter }} aria-hidden="true">
              {days.map(({ left, text }) => (
                <span key={left} style={{ left }}>
                  {text}
                </span>
              ))}
            </div>
            <PlotCursor
              steps={steps}
              by={by}
              width={width}
              gutter={gutter}
              selected={selected}
              hover={hover}
              isBusy={isBusy}
              onPick={onPick}
            />
          </>
        )}
      </div>
    </div>
  )
}

type Frame = Parameters<typeof SentPlot>[0]['frame']

/** How high the four plots are in a height: as the screen has it, never flat. */
function toHeights(height: number, hasReports: boolean): readonly number[] {
  const room = Math.max(420, height - 250)
  const shares = hasReports ? [0.43, 0.14, 0.32, 0.11] : [0.48, 0.16, 0.355, 0.005]
  return shares.map(share => Math.round(room * share))
}
