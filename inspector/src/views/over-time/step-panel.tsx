import { ChevronLeft, ChevronRight, ChevronUp } from 'lucide-react'
import type { Observable } from '../../api/observable.ts'
import { Button } from '../../parts/button.tsx'
import { count, percent } from '../../parts/format.ts'
import { isNarrow, useMedia } from '../../parts/use-media.ts'
import type { Step } from './figures.ts'
import styles from './step-panel.module.css'

export interface StepPanelProps {
  readonly hover: Observable<number | undefined>
  readonly selected: number
  readonly steps: readonly Step[]
  readonly onPick: (index: number) => void
  readonly children: (step: Step, index: number) => React.ReactNode
}

/** Shows the turn under the pointer, else the one that is chosen. On narrow screens it is a sheet that can be drawn up. */
export function StepPanel({ hover, selected, steps, onPick, children }: StepPanelProps) {
  const index = hover.use() ?? selected
  const step = steps[index]
  const isSlim = useMedia(isNarrow)
  if (!step) return <aside className={styles.panel} aria-label="One turn" />
  if (!isSlim)
    return (
      <aside className={styles.panel} aria-label="One turn">
        {children(step, index)}
      </aside>
    )
  const [first] = step.points
  return (
    <aside className={styles.panel} aria-label="One turn">
      <div className={styles.steps}>
        <Button
          kind="icon"
          aria-label="Turn before"
          why={index === 0 ? 'This is the first turn.' : undefined}
          onClick={() => onPick(index - 1)}
        >
          <ChevronLeft size={18} aria-hidden />
        </Button>
        <Button
          kind="icon"
          aria-label="Turn after"
          why={index === steps.length - 1 ? 'This is the last turn.' : undefined}
          onClick={() => onPick(index + 1)}
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
        {children(step, index)}
      </details>
    </aside>
  )
}
