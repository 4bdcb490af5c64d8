import styles from './empty-state.module.css'

export interface EmptyStateProps {
  readonly icon?: React.ReactNode
  readonly title: string
  readonly children?: React.ReactNode
  readonly action?: React.ReactNode
  /** `h2` where it is only a part of the page. */
  readonly heading?: 'h1' | 'h2'
}

/** What stands where there is nothing yet: what will be here, and how it comes. */
export function EmptyState({ icon, title, children, action, heading: Heading = 'h1' }: EmptyStateProps) {
  return (
    <div className={`grid gap-2 tall muted to-middle ${styles.empty}`}>
      {icon}
      <Heading>{title}</Heading>
      {children && <p>{children}</p>}
      {action && <div className={`row wraps at-middle ${styles.action}`}>{action}</div>}
    </div>
  )
}
