import {
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CirclePause,
  CircleStop,
  CircleX,
  LoaderCircle,
} from 'lucide-react'
import styles from './status-mark.module.css'

export type MarkName =
  | 'live'
  | 'running'
  | 'done'
  | 'paused'
  | 'stopped'
  | 'failed'
  | 'warning'
  | 'interrupted'
  | 'idle'

/** How something stands, by a shape and a colour. */
export function StatusMark({
  status,
  label = status,
}: {
  readonly status: MarkName
  readonly label?: string
}) {
  return (
    <span className={`rigid ${styles.mark}`} data-status={status} role="img" aria-label={label} title={label}>
      {shapes[status]}
    </span>
  )
}

const size = { size: 14, 'aria-hidden': true } as const

const shapes: Readonly<Record<MarkName, React.ReactNode>> = {
  live: <i />,
  running: <LoaderCircle {...size} className="turning" />,
  done: <CircleCheck {...size} />,
  paused: <CirclePause {...size} />,
  stopped: <CircleStop {...size} />,
  failed: <CircleX {...size} />,
  warning: <CircleAlert {...size} />,
  interrupted: <CircleDashed {...size} />,
  idle: null,
}
