import { Popover } from '@base-ui/react/popover'
import styles from './explained.module.css'
import tooltip from './tooltip.module.css'

interface ExplainedProps {
  readonly by: string | undefined
  readonly className?: string | undefined
  readonly children: React.ReactNode
}

/** Words or figures with an explanation: it opens under the pointer, a finger and keys. Without one only the words. */
export function Explained({ by, className, children }: ExplainedProps) {
  if (by === undefined) return <span className={className}>{children}</span>
  return (
    <Popover.Root>
      <Popover.Trigger
        openOnHover
        delay={400}
        className={[styles.explained, className].filter(Boolean).join(' ')}
      >
        {children}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={6} className={styles.positioner}>
          <Popover.Popup className={tooltip.tooltip}>{by}</Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}
