import { connection } from '../api/connection.ts'
import { tryNow } from '../api/keep-listening.ts'
import { clockTime } from '../parts/format.ts'
import { Notice } from '../parts/notice.tsx'
import { Late } from '../parts/skeleton.tsx'
import styles from './away-notice.module.css'

/** Says since when the server does not answer. What is on screen stays. */
export function AwayNotice() {
  const now = connection.use()
  if (now.state !== 'away') return null
  return (
    // A server that is started again is back before this shows.
    <Late ms={1500}>
      <div className={`on-panel line-above ${styles.away}`}>
        <Notice kind="danger">
          <strong>
            No answer from {location.host} since {clockTime(now.since)}.
          </strong>{' '}
          You see what was there then.{' '}
          <button type="button" onClick={tryNow}>
            Try now
          </button>
        </Notice>
      </div>
    </Late>
  )
}
