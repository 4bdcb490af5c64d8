import { useQuery } from '@tanstack/react-query'
import { statusQuery } from '../../api/queries.ts'
import { endWords } from '../../parts/fault-words.ts'
import { count } from '../../parts/format.ts'
import { Notice } from '../../parts/notice.tsx'
import { StatusMark } from '../../parts/status-mark.tsx'
import { useNow } from '../../parts/use-now.ts'
import { ViewLink } from '../../parts/view-link.tsx'
import { warningText } from '../../parts/warning-text.ts'
import styles from './call-notice.module.css'
import type { Scene } from './scene.ts'

/** Says that a call failed or had warnings and what to do, or that an answer is being written. */
export function CallNotice({ scene }: { readonly scene: Scene }) {
  const { place, point, shownPoint, moment, timeline } = scene
  const { data: status } = useQuery(statusQuery(place.thread))
  const { status: went, error, model, window, reported, tokens, policy } = shownPoint
  const isBroken = went === 'failed' || went === 'cancelled' || went === 'interrupted'
  const others = moment.call?.warnings.filter(code => code !== error) ?? []
  // Only the newest call of the thread can be open.
  const isOpen = status?.state === 'open' && point === timeline.points.at(-1)
  if (!isBroken && others.length === 0 && !isOpen) return null
  return (
    <div className={`grid gap-1 ${styles.notices}`}>
      {isOpen && (
        <Notice icon={<StatusMark status="live" label="live" />}>
          <b>Answering.</b> Turn {status.turn}
          <Seconds since={status.startedAt} />
        </Notice>
      )}
      {isBroken && (
        <Notice kind={went === 'failed' ? 'danger' : 'plain'} icon={<StatusMark status="interrupted" />}>
          {endWords(went, error, model)}
        </Notice>
      )}
      {others.map(code => (
        <Notice key={code} kind="danger">
          <b>{code}</b> {warningText(code, { reported, predicted: tokens })}.{' '}
          {code === 'prompt_truncated' && reported !== undefined && (
            <ViewLink view="context" search={{ ...place.search, b: `${Math.round(reported)}.${policy}` }}>
              Compare with a window of {count(reported)}
            </ViewLink>
          )}
          {code === 'over' &&
            `The window is ${count(window)}: choose a larger one, or shorten what is always sent.`}
        </Notice>
      ))}
    </div>
  )
}

function Seconds({ since }: { readonly since: number }) {
  const now = useNow(1000)
  return <span>, {Math.max(0, Math.round((now - since) / 1000))} s</span>
}
