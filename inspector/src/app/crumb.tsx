import { Link } from '@tanstack/react-router'
import styles from './crumb.module.css'

export interface CrumbProps {
  /** The list that this belongs to. */
  readonly to: '/' | '/e'
  readonly list: string
  readonly name: string
  readonly children?: React.ReactNode
}

/** Where a view is: `Conversations / Toad patrol`. */
export function Crumb({ to, list, name, children }: CrumbProps) {
  return (
    <>
      <Link to={to} className={`rigid muted broad-only ${styles.root}`}>
        {list}
      </Link>
      <span className={`broad-only ${styles.slash}`}>/</span>
      <strong className={`clipped bold ${styles.name}`} title={name}>
        {name}
      </strong>
      {children}
    </>
  )
}
