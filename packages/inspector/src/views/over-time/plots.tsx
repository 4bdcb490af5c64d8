import { memo, useMemo } from 'react'
import { cacheOf } from '../../parts/cache-share.ts'
import { count, dayTime, percent } from '../../parts/format.ts'
import { axisEvents, toDays } from '../../parts/stops.ts'
import { isNarrow, useMedia } from '../../parts/use-media.ts'
import { useSize } from '../../parts/use-size.ts'
import { CallsTable } from './calls-table.tsx'
import { accuracyDrawing, type Draw, readDrawing, reuseDrawing, sentDrawing } from './drawings.tsx'
import plot from './plot.module.css'
import styles from './plots.module.css'
import { type Course, type StepProps, toColumns } from './use-course.ts'

/** The plots over one axis, with a cursor through all of them, and below them every call. */
export function Plots({ course, choice }: StepProps) {
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
      <CallsTable {...{ course, choice }} />
    </div>
  )
}

interface PlotAxis {
  readonly width: number
  /** The room for the numbers at the left. */
  readonly gutter: number
}

interface DrawnProps extends PlotAxis {
  readonly course: Course
  readonly height: number
}

const draws: readonly (readonly [draw: Draw, share: number, shareWithoutReports: number])[] = [
  [sentDrawing, 0.43, 0.48],
  [reuseDrawing, 0.14, 0.16],
  [readDrawing, 0.32, 0.355],
  [accuracyDrawing, 0.11, 0.005],
]

/** The plots, each with its answer as a heading, and their days. They are not drawn again when another step is chosen. */
const Drawn = memo(function Drawn({ course, width, height, gutter }: DrawnProps) {
  const { steps, accuracy, isWhole } = course
  const columns = useMemo(() => toColumns(steps, width), [steps, width])
  const days = useMemo(() => toDays(steps, width), [steps, width])
  // As high as the screen has it, never flat; the heading of the table stays in sight.
  const room = Math.max(420, height - 310)
  return (
    <>
      {draws.map(([draw, share, shareWithoutReports], at) => {
        const height = Math.round(room * (accuracy.reported > 0 ? share : shareWithoutReports))
        const {
          answer,
          about,
          ticks,
          foot = 0,
          children,
        } = draw(course, { columns, width, height })
        return (
          <figure
            key={draw.name}
            className={plot.plot}
            aria-labelledby={`plot-${at}`}
            aria-busy={!isWhole}
          >
            <figcaption id={`plot-${at}`} className="relative through on-panel muted text-12">
              <h2>
                {answer}
                {!isWhole && ' so far'}
              </h2>{' '}
              <span>{about}</span>
            </figcaption>
            <svg
              className="block"
              width={gutter + width}
              height={height + foot + 12}
              aria-hidden="true"
            >
              {ticks.map(({ y, text }) => (
                <g key={y} className={plot.tick} transform={`translate(0 ${y + 6})`}>
                  <line x1={gutter} x2={gutter + width} y1={0.5} y2={0.5} />
                  <text x={gutter - 8} y={4}>
                    {text}
                  </text>
                </g>
              ))}
              <g transform={`translate(${gutter} 6)`}>{children}</g>
            </svg>
          </figure>
        )
      })}
      <div className="days" style={{ marginLeft: gutter }} aria-hidden="true">
        {days.map(({ at, text }) => (
          <span key={at} style={{ left: at }}>
            {text}
          </span>
        ))}
      </div>
    </>
  )
})

/** A line through all plots at one turn. The pointer moves a second one that is weaker; a click or a key takes it there. */
function PlotCursor({ course, choice, width, gutter }: StepProps & PlotAxis) {
  const { steps, by, isWhole } = course
  const { selected, hover, pick } = choice
  const hovered = hover.use()
  const step = width / Math.max(1, steps.length)
  /** The number stays within the plot, though the line is at its edge. */
  const line = (kind: 'hover' | 'chosen', index: number) => {
    const at = (index + 0.5) * step
    const turn = steps[index]?.turn
    const half = String(turn).length * 3.5 + 8
    const shift = Math.max(half, Math.min(width - half, at)) - at
    return (
      <i className="absolute through" data-kind={kind} style={{ left: at }}>
        <b className="absolute" style={{ marginLeft: shift }}>
          {turn}
        </b>
      </i>
    )
  }
  const now = steps[selected]
  const [point] = now?.points ?? []
  return (
    <div
      className={`absolute ${styles.cursor}`}
      style={{ left: gutter, width }}
      role="slider"
      tabIndex={0}
      aria-label={by === 'turn' ? 'Turn' : 'Call'}
      aria-valuemin={1}
      aria-valuemax={Math.max(1, steps.length)}
      aria-valuenow={selected + 1}
      aria-valuetext={
        now &&
        `Turn ${now.turn}, ${dayTime(now.time)}${point ? `: ${count(point.tokens)} tokens, ${percent(cacheOf(point).share)} cached` : ''}${now.cut ? ', history was cut' : ''}`
      }
      aria-busy={!isWhole}
      {...axisEvents(step, steps.length, pick, hover.set)}
      onPointerLeave={() => hover.set(undefined)}
    >
      {hovered !== undefined && hovered !== selected && line('hover', hovered)}
      {now && line('chosen', selected)}
    </div>
  )
}
