import styles from './notice.module.css'

export interface NoticeProps {
  readonly kind?: 'plain' | 'danger'
  readonly icon?: React.ReactNode
  /** What is to be done: a button or a link, at the end. */
  readonly action?: React.ReactNode
  readonly children: React.ReactNode
}

/** A line that says how things are, and what to do. Faults are told to screen readers at once. */
export function Notice({ kind = 'plain', icon, action, children }: NoticeProps) {
  return (
    <div className={styles.notice} data-kind={kind} role={kind === 'danger' ? 'alert' : 'status'}>
      {kind === 'danger' ? <span className={`centred rigid round-1 ${styles.sign}`}>!</span> : icon}
      <div className={`fill slim breaks linked ${styles.text}`}>{children}</div>
      {action}
    </div>
  )
}
