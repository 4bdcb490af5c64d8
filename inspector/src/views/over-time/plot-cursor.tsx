import type { Observable } from '../../api/observable.ts'
import { count, dayTime, percent } from '../../parts/format.ts'
import type { Course } from './course.ts'
import styles from './plot-cursor.module.css'

/** The step that is looked at. */
export interface StepChoice {
  readonly selected: number
  /** The step under the pointer. */
  readonly hover: Observable<number | undefined>
  readonly pick: (index: number) => void
}

export interface PlotCursorProps {
  readonly course: Course
  readonly choice: StepChoice
  readonly width: number
  readonly gutter: number
}

/** A line through all plots at one turn. The pointer moves a second one that is weaker; a click or a key takes it there. */
export function PlotCursor({ course, choice, width, gutter }: PlotCursorProps) {
  const { steps, by, isWhole } = course
  const { selected, hover, pick } = choice
  const hovered = hover.use()
  const step = width / Math.max(1, steps.length)
  const indexAt = (event: React.PointerEvent) => {
    const box = event.currentTarget.getBoundingClientRect()
    return Math.min(steps.length - 1, Math.max(0, Math.floor((event.clientX - box.left) / step)))
  }
  const now = steps[selected]
  const [point] = now?.points ?? []
  return (
    <div
      className={styles.cursor}
      style={{ left: gutter, width }}
      role="slider"
      tabIndex={0}
      aria-label={by === 'turn' ? 'Turn' : 'Call'}
      aria-valuemin={1}
      aria-valuemax={Math.max(1, steps.length)}
      aria-valuenow={selected + 1}
      aria-valuetext={
        now &&
        `Turn ${now.turn}, ${dayTime(now.time)}${point ? `: ${count(point.tokens)} tokens, ${percent(point.reused / Math.max(1, point.tokens))} cached` : ''}${now.cut ? ', history was cut' : ''}`
      }
      aria-busy={!isWhole}
      onPointerDown={event => {
        event.currentTarget.setPointerCapture(event.pointerId)
        pick(indexAt(event))
      }}
      onPointerMove={event => {
        if (event.buttons === 1) pick(indexAt(event))
        else if (event.pointerType === 'mouse') hover.set(indexAt(event))
      }}
      onPointerLeave={() => hover.set(undefined)}
    >
      {hovered !== undefined && hovered !== selected && (
        <CursorLine kind="hover" turn={steps[hovered]?.turn} at={(hovered + 0.5) * step} width={width} />
      )}
      {now && <CursorLine kind="chosen" turn={now.turn} at={(selected + 0.5) * step} width={width} />}
    </div>
  )
}

interface CursorLineProps {
  readonly kind: 'hover' | 'chosen'
  readonly turn: number | undefined
  readonly at: number
  readonly width: number
}

/** The number stays within the plot, though the line is at its edge. */
function CursorLine({ kind, turn, at, width }: CursorLineProps) {
  const half = String(turn).length * 3.5 + 8
  const shift = Math.max(half, Math.min(width - half, at)) - at
  return (
    <i data-kind={kind} style={{ left: at }}>
      <b style={{ marginLeft: shift }}>{turn}</b>
    </i>
  )
}
