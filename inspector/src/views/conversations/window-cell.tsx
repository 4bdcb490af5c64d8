import { useQuery } from '@tanstack/react-query'
import type { ListedConversation } from '../../api/conversation-list.ts'
import { contextQuery } from '../../api/queries.ts'
import type { ContextAnswer } from '../../api/timeline.ts'
import { calibrationText } from '../../parts/calibration.ts'
import { count } from '../../parts/format.ts'
import { toPartSegments } from '../../parts/sent-rows.ts'
import { useLate } from '../../parts/skeleton.tsx'
import { WindowBar } from '../../parts/window-bar.tsx'
import styles from './conversation-table.module.css'

/** The window of a conversation's last call; where nothing was sent yet, as it would be now. */
type LastWindow = Pick<
  ContextAnswer,
  'parts' | 'counts' | 'tokens' | 'window' | 'reserve' | 'margin' | 'policy' | 'factor'
> & { readonly reused?: number | undefined; readonly isSent: boolean }

export function useWindow({ conversation, latest }: ListedConversation, mayInspect: boolean) {
  // Rows that are scrolled past need no context.
  const isRested = useLate(300)
  const call = latest?.call
  const isUnsent = latest !== undefined && call === undefined && latest.entries > 0
  const { data: made, error } = useQuery({
    ...contextQuery({ conversation, actor: latest?.actor, branch: latest?.branch }, { messages: false }),
    enabled: isRested && mayInspect && isUnsent,
  })
  const last: LastWindow | undefined = call
    ? { ...call, tokens: call.predicted, isSent: true }
    : isUnsent && made
      ? { ...made, isSent: false }
      : undefined
  return { last, isLoading: mayInspect && isUnsent && made === undefined && error === null }
}

/** How full the window was in the last call. Where nothing was sent yet, how full it would be. */
export function WindowCell({ last }: { readonly last: LastWindow }) {
  const { parts, tokens, window, reserve, margin, reused, policy, isSent } = last
  return (
    <>
      <WindowBar
        {...{ window, reserve, margin, reused, size: 'row' }}
        segments={toPartSegments(parts)}
        label={`${count(tokens)} of ${count(window)} tokens`}
      />
      <span className={styles.filled} aria-hidden="true" title={calibrationText(last.factor)}>
        <b className="soft medium">{count(tokens)}</b> of {count(window)}{' '}
        <span className="broad-only">tokens</span>
        <span className="cut pushed">{isSent ? policy : 'if sent now'}</span>
      </span>
    </>
  )
}
