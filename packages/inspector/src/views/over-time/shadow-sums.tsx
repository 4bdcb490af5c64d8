import { useQuery } from '@tanstack/react-query'
import { serverQuery } from '../../api/queries.ts'
import { type ShadowCall, shadowQuery } from '../../api/shadow.ts'
import type { TimelinePoint } from '../../api/timeline.ts'
import { usePlace } from '../../parts/address.ts'
import { amountOf, count, percent } from '../../parts/format.ts'
import { moneyOf } from '../../parts/token-words.ts'
import { ViewLink } from '../../parts/view-link.tsx'
import styles from './over-time-view.module.css'

/** What all calls of a shadow would have saved, and whose messages their answers used. */
export function ShadowSums({ points }: { readonly points: readonly TimelinePoint[] }) {
  const { thread } = usePlace()
  const { data: server } = useQuery(serverQuery)
  const { data: calls } = useQuery(shadowQuery(thread))
  const passed = points.flatMap(({ shadow }) => shadow ?? [])
  const whole = passed.reduce((sum, { tokens }) => sum + tokens, 0)
  const saved = passed.reduce((sum, { tokens, wouldTokens }) => sum + tokens - wouldTokens, 0)
  const usedBy = (isIt: (used: NonNullable<ShadowCall['used']>) => boolean) =>
    calls?.filter(({ used }) => used !== undefined && isIt(used))
  return (
    <dl className={`line-below on-panel ${styles.sums}`} aria-label="Shadow">
      <div>
        <dt className="muted text-12">Would have been saved</dt>
        <dd>
          <b>
            {count(saved)} of {count(whole)} tokens
          </b>{' '}
          <span className="muted text-12">
            {percent(saved / Math.max(1, whole))}
            {moneyOf(saved, server?.price)}, in {amountOf(passed.length, 'call')}
          </span>
        </dd>
      </div>
      <Sum
        name="The tail had what we had not"
        calls={usedBy(({ isTail, isOurs }) => isTail && !isOurs)}
      />
      <Sum
        name="We had what the tail had not"
        calls={usedBy(({ isTail, isOurs }) => !isTail && isOurs)}
      />
    </dl>
  )
}

interface SumProps {
  readonly name: string
  /** Undefined while they are read. */
  readonly calls: readonly ShadowCall[] | undefined
}

/** How many answers used such a message, and the way to the newest of them. */
function Sum({ name, calls }: SumProps) {
  return (
    <div>
      <dt className="muted text-12">{name}</dt>
      <dd>
        <b>{calls ? amountOf(calls.length, 'call') : '…'}</b>{' '}
        {calls?.slice(0, mostLinks).map(({ call, turn, used }) => (
          <span key={call} className="text-12">
            <ViewLink view="context" search={{ turn, call, entry: used?.entry }} className="link">
              turn {turn}
            </ViewLink>{' '}
          </span>
        ))}
        {calls && calls.length > mostLinks && (
          <span className="muted text-12">and earlier ones</span>
        )}
      </dd>
    </div>
  )
}

const mostLinks = 4
