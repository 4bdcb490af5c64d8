import styles from './gauge.module.css'

export interface GaugeProps {
  readonly value: number
  readonly most: number
  readonly label: string
  /** `kept` by default; `reused` for a goal that is near. */
  readonly colour?: 'kept' | 'reused' | 'danger'
}

export function Gauge({ value, most, label, colour = 'kept' }: GaugeProps) {
  const share = most > 0 ? Math.min(1, Math.max(0, value / most)) : 0
  return (
    <div
      className={`clipped on-press ${styles.gauge}`}
      role="meter"
      aria-label={label}
      aria-valuenow={value}
      aria-valuemin={0}
      aria-valuemax={most}
      data-colour={colour}
    >
      <i style={{ width: `${share * 100}%` }} />
    </div>
  )
}
