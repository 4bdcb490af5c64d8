import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { FlaskConical } from 'lucide-react'
import { memo } from 'react'
import type { ListedConversation } from '../../api/conversation-list.ts'
import { contextQuery } from '../../api/queries.ts'
import type { ContextAnswer } from '../../api/timeline.ts'
import { linkOf } from '../../parts/address.ts'
import { cacheOf, cacheSource } from '../../parts/cache-share.ts'
import { FateGlyph } from '../../parts/fate-glyph.tsx'
import { fates } from '../../parts/fates.ts'
import { ago, amountOf, count, fullTime, percent, titleOf } from '../../parts/format.ts'
import { useLate } from '../../parts/query-state.tsx'
import { toPartSegments } from '../../parts/sent-rows.ts'
import { StatusMark } from '../../parts/status-mark.tsx'
import { calibrationText, ofWindow } from '../../parts/token-words.ts'
import { WindowBar } from '../../parts/window-bar.tsx'
import { ClientCell } from './client-cell.tsx'
import styles from './conversation-table.module.css'
import { RowMenu, type RowProps } from './row-menu.tsx'
import { standingOf } from './use-conversations.ts'

interface ConversationRowProps extends RowProps {
  readonly index: number
  readonly start: number
  readonly now: number
  /** Whether it is the one in the tab order. */
  readonly isActive: boolean
  readonly linkRef: (element: HTMLElement | null) => void
  readonly onFocus: (conversation: string) => void
}

/** A conversation in the list. The link of its name covers the row. */
export const ConversationRow = memo(function ConversationRow(props: ConversationRowProps) {
  const { row, index, start, now, isActive, scopes, linkRef, onFocus, onDelete } = props
  const { conversation, latest, updatedAt } = row
  const { status, text, isTrouble = false } = standingOf(row)
  const title = titleOf(row)
  const call = latest?.call
  const mayInspect = scopes.includes('inspect')
  const { last, isLoading } = useWindow(row, mayInspect)
  const tabIndex = isActive ? 0 : -1
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the link in it takes the focus
    <div
      role="row"
      aria-rowindex={index + 2}
      className={`wide absolute grid middle line-below hovers ${styles.row}`}
      data-active={isActive}
      style={{ transform: `translateY(${start}px)` }}
      onFocus={() => onFocus(conversation)}
    >
      <div role="cell" className={`grid middle gap-4 ${styles.name}`}>
        <span className="centred soft">
          {latest?.isExperiment && status === 'idle' ? (
            <FlaskConical size={14} aria-label="Experiment" />
          ) : (
            status !== 'idle' && <StatusMark status={status} label={text} />
          )}
        </span>
        <span className="grid slim">
          <Link
            {...linkOf(row)}
            to="/c/$conversation/context"
            ref={linkRef}
            className={`cut subheading ${styles.link}`}
            tabIndex={tabIndex}
            title={title === conversation ? title : `${title}\n${conversation}`}
          >
            <bdi>{title}</bdi>
          </Link>
          <span
            className={`cut muted text-12-18 ${styles.said}`}
            data-trouble={isTrouble}
            dir="auto"
          >
            {(isTrouble || status === 'interrupted' || status === 'paused') && text !== undefined
              ? text
              : (shadowWords(call) ?? latest?.said?.text)}
          </span>
        </span>
      </div>
      <div role="cell" className={`relative slim ${styles.client}`}>
        <ClientCell row={row} tabIndex={tabIndex} />
      </div>
      <div role="cell" className={`flex wraps soft chip-text one-line ${styles.fates}`}>
        {fates
          .map(({ fate, name }) => ({ fate, name, amount: last?.counts[fate] ?? 0 }))
          .filter(({ amount }) => amount > 0)
          .map(({ fate, name, amount }) => (
            <span
              key={fate}
              className="inline gap-1 fated"
              data-fate={fate}
              title={`${count(amount)} ${name}`}
            >
              <FateGlyph fate={fate} />
              {count(amount)}
              <span className="hidden"> {name}</span>
            </span>
          ))}
      </div>
      <div role="cell" className={styles.window} aria-busy={isLoading}>
        {last ? (
          <WindowCell last={last} />
        ) : isLoading ? null : (
          <span className="muted text-12-16">{mayInspect ? 'not sent yet' : '–'}</span>
        )}
      </div>
      <div role="cell" className={styles.reused}>
        {call && call.predicted > 0 && (call.reused ?? call.cached) !== undefined ? (
          <span title={cacheSource(cacheOf(toFigures(call)).isReported)}>
            {percent(cacheOf(toFigures(call)).share)}
          </span>
        ) : (
          '–'
        )}
      </div>
      <div role="cell" className={styles.turns}>
        {latest && (
          <>
            {count(latest.turns)}
            <small className="cut block muted tiny">{amountOf(latest.entries, 'message')}</small>
          </>
        )}
      </div>
      <div role="cell" className={`grid middle gap-2 ${styles.used}`}>
        <span>
          <time dateTime={new Date(updatedAt).toISOString()} title={fullTime(updatedAt)}>
            {ago(updatedAt, now)}
          </time>
          {call && (
            <small className="cut block muted tiny" title={call.model}>
              {call.model}
            </small>
          )}
        </span>
        <RowMenu row={row} tabIndex={tabIndex} scopes={scopes} onDelete={onDelete} />
      </div>
    </div>
  )
})

/** What a shadow passed, in a line; undefined where the context was sent. */
function shadowWords(call: NonNullable<ListedConversation['latest']>['call']): string | undefined {
  const { messages, wouldMessages } = call?.shadow ?? {}
  return messages === undefined || wouldMessages === undefined
    ? undefined
    : `Shadow: passes as it came; ${count(wouldMessages)} of ${count(messages)} would have been sent`
}

type LastCall = NonNullable<NonNullable<ListedConversation['latest']>['call']>

/** A call with the names that its figures have in a timeline. */
const toFigures = (call: LastCall) => ({
  ...call,
  tokens: call.shadow?.wouldTokens ?? call.predicted,
  reused: call.reused ?? 0,
})

/** The window of a conversation's last call; where nothing was sent yet, as it would be now. */
type LastWindow = Pick<
  ContextAnswer,
  'parts' | 'counts' | 'tokens' | 'window' | 'reserve' | 'margin' | 'policy' | 'factor'
> & {
  readonly reused?: number | undefined
  readonly reported?: number | undefined
  readonly isSent: boolean
}

export function useWindow({ conversation, latest }: ListedConversation, mayInspect: boolean) {
  // Rows that are scrolled past need no context.
  const isRested = useLate(300)
  const call = latest?.call
  const isUnsent = latest !== undefined && call === undefined && latest.entries > 0
  const { data: made, error } = useQuery({
    ...contextQuery(
      { conversation, actor: latest?.actor, branch: latest?.branch },
      { messages: false },
    ),
    enabled: isRested && mayInspect && isUnsent,
  })
  const last: LastWindow | undefined = call
    ? { ...toFigures(call), reused: cacheOf(toFigures(call)).drawn, isSent: true }
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
        label={`${count(tokens)} ${ofWindow(window)}`}
      />
      <span
        className={styles.filled}
        aria-hidden="true"
        title={calibrationText(last.factor, last.reported)}
      >
        <b className="soft medium">{count(tokens)}</b>{' '}
        {window !== undefined && `of ${count(window)} `}
        <span className="broad-only">
          {window === undefined ? 'tokens, window unknown' : 'tokens'}
        </span>
        <span className="cut pushed">{isSent ? policy : 'if sent now'}</span>
      </span>
    </>
  )
}
