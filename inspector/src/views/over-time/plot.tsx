import { useId } from 'react'
import type { Tick } from '../../parts/plot.ts'
import styles from './plot.module.css'
import type { Course, PlotColumn } from './use-course.ts'

/** Where a plot draws: the axis of turns is the same for all of them. */
export interface PlotFrame {
  readonly width: number
  readonly height: number
  /** The room for the numbers at the left. */
  readonly gutter: number
}

/** What each plot draws, and where. */
export interface DrawnProps {
  readonly course: Course
  readonly columns: readonly PlotColumn[]
  readonly frame: PlotFrame
}

interface PlotProps {
  readonly frame: PlotFrame
  /** What the plot says, in a few words. */
  readonly answer: string
  /** What is drawn. */
  readonly about: string
  readonly ticks: readonly Tick[]
  /** Whether all points are read; until then the heading is not final. */
  readonly isWhole: boolean
  /** Below the lowest line: for marks. */
  readonly foot?: number
  readonly children: React.ReactNode
}

/** A plot over the turns, with its answer as a heading. */
export function Plot({ frame, answer, about, ticks, isWhole, foot = 0, children }: PlotProps) {
  const { width, height, gutter } = frame
  const id = useId()
  return (
    <figure className={styles.plot} aria-labelledby={id} aria-busy={!isWhole}>
      <figcaption id={id}>
        <h2>
          {answer}
          {!isWhole && ' so far'}
        </h2>{' '}
        <span>{about}</span>
      </figcaption>
      <svg width={gutter + width} height={height + foot + 12} aria-hidden="true">
        {ticks.map(({ y, text }) => (
          <g key={y} className={styles.tick} transform={`translate(0 ${y + 6})`}>
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
}
