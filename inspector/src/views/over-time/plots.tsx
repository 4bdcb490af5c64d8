import { memo, useMemo } from 'react'
import { toDays } from '../../parts/stops.ts'
import { isNarrow, useMedia } from '../../parts/use-media.ts'
import { useSize } from '../../parts/use-size.ts'
import { AccuracyPlot } from './accuracy-plot.tsx'
import { CallsTable } from './calls-table.tsx'
import { type Course, toColumns } from './course.ts'
import type { PlotFrame } from './plot.tsx'
import { PlotCursor, type StepChoice } from './plot-cursor.tsx'
import styles from './plots.module.css'
import { ReadPlot } from './read-plot.tsx'
import { ReusePlot } from './reuse-plot.tsx'
import { SentPlot } from './sent-plot.tsx'

/** The plots over one axis, with a cursor through all of them, and below them every call. */
export function Plots({ course, choice }: { readonly course: Course; readonly choice: StepChoice }) {
  const [setArea, size] = useSize<HTMLDivElement>()
  const isSlim = useMedia(isNarrow)
  const gutter = isSlim ? 38 : 44
  const width = Math.max(80, size.width - gutter - (isSlim ? 24 : 36))
  return (
    <div className={`low on-panel ${styles.scroller}`} ref={setArea}>
      <div className={`grid single gap-3 relative from-top ${styles.plots}`}>
        {size.width > 0 && (
          <>
            {/* A narrow page scrolls as a whole: its plots are as high as they like. */}
            <Drawn {...{ course, width, gutter }} height={isSlim ? 0 : size.height} />
            <PlotCursor {...{ course, choice, width, gutter }} />
          </>
        )}
      </div>
      <CallsTable course={course} chosen={course.steps[choice.selected]} />
    </div>
  )
}

/** The plots and their days. They are not drawn again when another step is chosen. */
const Drawn = memo(function Drawn({ course, ...frame }: PlotFrame & { readonly course: Course }) {
  const { steps, accuracy } = course
  const { width, height, gutter } = frame
  const columns = useMemo(() => toColumns(steps, width), [steps, width])
  const days = useMemo(() => toDays(steps, width), [steps, width])
  // As high as the screen has it, never flat; the heading of the table stays in sight.
  const room = Math.max(420, height - 310)
  const plots = [
    [SentPlot, 0.43, 0.48],
    [ReusePlot, 0.14, 0.16],
    [ReadPlot, 0.32, 0.355],
    [AccuracyPlot, 0.11, 0.005],
  ] as const
  return (
    <>
      {plots.map(([Plot, share, shareWithoutReports]) => {
        const height = Math.round(room * (accuracy.reported > 0 ? share : shareWithoutReports))
        return <Plot key={Plot.name} {...{ course, columns }} frame={{ width, height, gutter }} />
      })}
      <div className="days" style={{ marginLeft: gutter }} aria-hidden="true">
        {days.map(({ left, text }) => (
          <span key={left} style={{ left }}>
            {text}
          </span>
        ))}
      </div>
    </>
  )
})
