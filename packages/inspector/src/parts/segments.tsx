import styles from './segments.module.css'

export interface SegmentsProps<Value extends string> {
  readonly label: string
  readonly value: Value | undefined
  /** What each segment says, by its value. */
  readonly choices: Readonly<Record<Value, string>>
  readonly onChoose: (value: Value) => void
}

export const Segments = <Value extends string>({
  label,
  value,
  choices,
  onChoose,
}: SegmentsProps<Value>) => (
  <div className={`inline on-press round-2 ${styles.segments}`} role="group" aria-label={label}>
    {(Object.entries(choices) as [Value, string][]).map(([one, text]) => (
      <button key={one} type="button" aria-pressed={one === value} onClick={() => onChoose(one)}>
        {text}
      </button>
    ))}
  </div>
)
