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

const size = { size: 14, 'aria-hidden': true } as const

const shapes = {
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

export type MarkName = keyof typeof shapes

interface StatusMarkProps {
  readonly status: MarkName
  readonly label?: string
}

export function StatusMark({ status, label = status }: StatusMarkProps) {
  return (
    <span
      className={`rigid ${styles.mark}`}
      data-status={status}
      role="img"
      aria-label={label}
      title={label}
    >
      {shapes[status]}
    </span>
  )
}
