import { useId } from 'react'
import styles from './plot.module.css'

/** Where a plot draws: the axis of turns is the same for all of them. */
export interface Frame {
  readonly width: number
  readonly height: number
  /** The room for the numbers at the left. */
  readonly gutter: number
}

export interface Tick {
  /** From the top. */
  readonly y: number
  readonly text: string
}

export interface PlotProps {
  readonly frame: Frame
  /** What the plot says, in a few words. */
  readonly answer: string
  /** What is drawn. */
  readonly about: string
  readonly ticks: readonly Tick[]
  /** Whether more is being read: what it says is not final. */
  readonly isBusy?: boolean
  /** Below the lowest line: for marks. */
  readonly foot?: number
  readonly children: React.ReactNode
}

/** A plot over the turns, with its answer as a heading. */
export function Plot({ frame, answer, about, ticks, isBusy = false, foot = 0, children }: PlotProps) {
  const { width, height, gutter } = frame
  const id = useId()
  return (
    <figure className={styles.plot} aria-labelledby={id} aria-busy={isBusy}>
      <figcaption id={id}>
        <h2>
          {answer}
          {isBusy && ' so far'}
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

/** Bars as one path: `[left, top, width, height]` of each. */
export const barsPath = (bars: Iterable<readonly [number, number, number, number]>): string => {
  let path = ''
  for (const [x, y, width, height] of bars)
    path += `M${round(x)} ${round(y)}h${round(width)}v${round(height)}h${round(-width)}z`
  return path
}

export const linePath = (points: readonly (readonly [number, number])[]): string =>
  points.map(([x, y], at) => `${at === 0 ? 'M' : 'L'}${round(x)} ${round(y)}`).join('')

const round = (value: number) => Math.round(value * 10) / 10
