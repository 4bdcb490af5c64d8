import { Tooltip as Base } from '@base-ui/react/tooltip'
import styles from './tooltip.module.css'

export interface TooltipProps {
  readonly text: React.ReactNode
  /** The one element that it belongs to. It needs an accessible name of its own. */
  readonly children: React.ReactElement<Record<string, unknown>>
  readonly side?: 'top' | 'right' | 'bottom' | 'left'
}

/** A short text beside what it explains, when the pointer rests there or it has the focus. */
export function Tooltip({ text, children, side = 'bottom' }: TooltipProps) {
  return (
    <Base.Root>
      <Base.Trigger render={children} />
      <Base.Portal>
        <Base.Positioner side={side} sideOffset={6}>
          <Base.Popup className={styles.tooltip}>{text}</Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
