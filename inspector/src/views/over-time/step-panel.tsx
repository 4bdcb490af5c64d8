import { ChevronLeft, ChevronRight, ChevronUp } from 'lucide-react'
import { Button } from '../../parts/button.tsx'
import { count, percent } from '../../parts/format.ts'
import { isNarrow, useMedia } from '../../parts/use-media.ts'
import type { AxisStep, Course } from './course.ts'
import type { StepChoice } from './plot-cursor.tsx'
import styles from './step-panel.module.css'
import { TurnPanel } from './turn-panel.tsx'

export interface StepPanelProps {
  readonly course: Course
  readonly choice: StepChoice
}

/** Shows the turn under the pointer, else the one that is chosen. On narrow screens it is a sheet that can be drawn up. */
export function StepPanel({ course, choice }: StepPanelProps) {
  const index = choice.hover.use() ?? choice.selected
  const step = course.steps[index]
  const isSlim = useMedia(isNarrow)
  const panel = step && <TurnPanel {...{ course, step, index }} />
  return (
    <aside className={styles.panel} aria-label="One turn">
      {isSlim && step ? <Drawer {...{ course, choice, step, index }}>{panel}</Drawer> : panel}
    </aside>
  )
}

interface DrawerProps extends StepPanelProps {
  readonly step: AxisStep
  readonly index: number
  readonly children: React.ReactNode
}

function Drawer({ course: { steps }, choice: { pick }, step, index, children }: DrawerProps) {
  const [first] = step.points
  return (
    <>
      <div className={styles.steps}>
        <Button
          kind="icon"
          aria-label="Turn before"
          why={index === 0 ? 'This is the first turn.' : undefined}
          onClick={() => pick(index - 1)}
        >
          <ChevronLeft size={18} aria-hidden />
        </Button>
        <Button
          kind="icon"
          aria-label="Turn after"
          why={index === steps.length - 1 ? 'This is the last turn.' : undefined}
          onClick={() => pick(index + 1)}
        >
          <ChevronRight size={18} aria-hidden />
        </Button>
      </div>
      <details>
        <summary>
          <b>Turn {step.turn}</b>
          {first && (
            <span>
              {count(first.tokens)} sent, {percent(first.reused / Math.max(1, first.tokens))} reused
              {step.cut ? ', cut' : ''}
            </span>
          )}
          <ChevronUp size={16} aria-hidden />
        </summary>
        {children}
      </details>
    </>
  )
}
