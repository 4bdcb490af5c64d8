import { notifications } from '../parts/notify.ts'
import styles from './notifications.module.css'

/** What `notify` says. */
export function Notifications() {
  const all = notifications.use()
  return (
    <div className={`grid gap-2 ${styles.stack}`} role="status">
      {all.map(({ id, text, kind }) => (
        <p key={id} data-kind={kind}>
          {text}
        </p>
      ))}
    </div>
  )
}
