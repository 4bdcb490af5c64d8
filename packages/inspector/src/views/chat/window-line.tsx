import type { SentRow, TimelinePoint } from '../../api/timeline.ts'
import type { ConversationSearch } from '../../parts/address.ts'
import { cacheOf } from '../../parts/cache-share.ts'
import { Explained } from '../../parts/explained.tsx'
import { count, percent } from '../../parts/format.ts'
import { toSegments } from '../../parts/sent-rows.ts'
import { calibrationText, ofWindow, whyFree } from '../../parts/token-words.ts'
import { ViewLink } from '../../parts/view-link.tsx'
import { WindowBar } from '../../parts/window-bar.tsx'
import styles from './window-line.module.css'

interface WindowLineProps {
  /** The moment in the address of Context. */
  readonly search: ConversationSearch
  readonly point: TimelinePoint
  readonly rows: readonly SentRow[]
}

export function WindowLine({ search, point, rows }: WindowLineProps) {
  const { window, tokens, margin, reserve, call } = point
  const cache = cacheOf(point)
  const free = whyFree(point)
  return (
    <>
      <WindowBar
        size="row"
        {...{ window, margin, reserve }}
        reused={cache.drawn}
        segments={toSegments(rows, point)}
        label={`The window: ${count(tokens)} ${ofWindow(window)}`}
      />
      <p className={`flex label muted links ${styles.figures}`}>
        <Explained
          by={[calibrationText(point.factor, point.reported), free].filter(Boolean).join(' ')}
        >
          {call === undefined ? 'Last turn' : 'Last call'}: <b className="clear">{count(tokens)}</b>{' '}
          {ofWindow(window)}
        </Explained>
        <span className="coloured" data-colour="reused">
          {percent(cache.share)} cached
          <span className="wide-only">
            {cache.isReported ? ', as the model reported' : ' prefix (estimate)'}
          </span>
        </span>
        <span className="wide-only">{count(cache.anew)} new tokens</span>
        <ViewLink
          view="context"
          search={search}
          className="pushed"
          aria-label="What the model got, and why"
        >
          <span className="wide-only">What the model got, and why</span>
          <span className="phone-only">What the model got</span>
        </ViewLink>
      </p>
    </>
  )
}
