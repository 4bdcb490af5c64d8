import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import {
  type Moment,
  momentQuery,
  type SentRow,
  type TimelinePoint,
  timelineQuery,
} from '../../api/timeline.ts'
import { viewAt } from '../../parts/address.ts'
import { cacheOf, cacheSource } from '../../parts/cache-share.ts'
import { FateGlyph } from '../../parts/fate-glyph.tsx'
import { colourOfPart, fates, nameOfPart } from '../../parts/fates.ts'
import { amountOf, count } from '../../parts/format.ts'
import { oneLine } from '../../parts/message-text.ts'
import { toSegments, toSentMessages } from '../../parts/sent-rows.ts'
import { ofWindow } from '../../parts/token-words.ts'
import { useTexts } from '../../parts/use-texts.ts'
import { WindowBar } from '../../parts/window-bar.tsx'
import styles from './live-context.module.css'

interface LiveContextProps {
  readonly conversation: string
  readonly isBegun: boolean
}

/** What the model of an application was sent for its newest call, and what became of the rest. */
export function LiveContext({ conversation, isBegun }: LiveContextProps) {
  const thread = { conversation }
  const { data } = useQuery({ ...timelineQuery(thread), enabled: isBegun })
  const point = data?.points.at(-1)
  const { data: moment } = useQuery({
    ...momentQuery(thread, point),
    placeholderData: before => before,
  })
  return (
    <aside
      className={`grid single from-top on-panel framed round-3 ${styles.pane}`}
      aria-label="What the model got"
    >
      {isBegun && point && moment ? (
        <Sent {...{ conversation, point, moment }} />
      ) : (
        <div className={`grid gap-2 ${styles.part}`}>
          <h2 className="subheading">What the model got</h2>
          <p className="muted">
            {isBegun
              ? 'No model was asked for this: it came from the log.'
              : 'Here stands what its model was sent, message by message, as soon as something was said.'}
          </p>
        </div>
      )}
    </aside>
  )
}

interface SentProps {
  readonly conversation: string
  readonly point: TimelinePoint
  readonly moment: Moment
}

function Sent({ conversation, point, moment }: SentProps) {
  const { at, counts, tokens, window, reserve, margin, free, policy } = point
  const cache = cacheOf(point)
  const sent = at - counts.omitted
  return (
    <>
      <div className={`grid single gap-2 line-below ${styles.part} ${styles.sunken}`}>
        <h2 className="heading">
          {count(sent)} of {amountOf(at, 'message')}{' '}
          <span className="soft light">reached the model</span>
        </h2>
        <p className="flex wraps gap-3 text-12">
          {fates
            .filter(({ fate }) => counts[fate] > 0)
            .map(({ fate, name }) => (
              <span key={fate} className="inline gap-1 fated" data-fate={fate}>
                <FateGlyph fate={fate} /> <b>{count(counts[fate])}</b> {name}
              </span>
            ))}
        </p>
        <WindowBar
          segments={toSegments(moment.rows, point)}
          {...{ window, reserve, margin }}
          reused={cache.drawn}
          label={`${count(tokens)} ${ofWindow(window)} were sent, ${count(free)} are free`}
        />
        <p className="flex between gap-2 text-12">
          <span className="coloured" data-colour="reused" title={cacheSource(cache.isReported)}>
            {count(cache.tokens)} cached
          </span>
          <span className="soft">
            <b className="clear">{count(tokens)}</b> {ofWindow(window)}
          </span>
        </p>
      </div>
      <Rows {...{ conversation, point, moment }} />
      <p className={`soft line-above linked ${styles.part} ${styles.sunken}`}>
        The model got <b className="clear">{count(tokens)}</b> {ofWindow(window)}, chosen by the
        policy {policy}. {leftOut(counts)} {count(reserve)} are kept for its reply.{' '}
        <Link {...viewAt('context', conversation)}>Open in Context</Link>
      </p>
    </>
  )
}

/** What was not sent as it is, in a sentence. All of it stays in the log. */
function leftOut({ omitted, digested, cleared, altered }: TimelinePoint['counts']): string {
  const parts = [
    digested + altered > 0 && `${amountOf(digested + altered, 'message')} shortened`,
    cleared > 0 && `${amountOf(cleared, 'result')} cleared`,
    omitted > 0 && `${amountOf(omitted, 'message')} not sent`,
  ].filter(part => part !== false)
  return parts.length === 0
    ? 'Nothing was left out.'
    : `${parts.join(', ')}; all of it stays in the log.`
}

/** The most rows that are shown: Context has all of them. */
const mostRows = 60

function Rows({ conversation, point, moment }: SentProps) {
  const messages = toSentMessages(moment.rows, point)
  const shown = messages.length > mostRows ? messages.slice(-mostRows) : messages
  const textOf = useTexts(
    { conversation },
    shown.flatMap(({ seq }) => seq ?? []),
    point.at,
  )
  return (
    <div className={styles.part}>
      <h3 className="small-heading">
        What the model got <span className="muted light">in this order</span>
      </h3>
      {shown.length < messages.length && (
        <p className="muted text-12">
          {amountOf(messages.length - shown.length, 'earlier message')} in Context
        </p>
      )}
      <ol
        className={`scrolls-down thin-bar ${styles.rows}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keys too
        tabIndex={0}
        aria-label="Messages in the order of the prompt"
      >
        {shown.map(({ row, index, seq, isReused }, at) => (
          <li
            key={index}
            className={`grid baseline gap-2 text-12 ${styles.row}`}
            data-reused={isReused}
          >
            <span className="cut bold coloured" data-colour={colourOfPart[row.part]}>
              {row.part !== shown[at - 1]?.row.part && nameOfPart(row.part)}
            </span>
            <span className="muted to-right">{seq}</span>
            <span className="cut">
              {lineOf(row, seq === undefined ? undefined : textOf(seq)?.text)}
            </span>
            <span className="muted to-right">{count(row.tokens)}</span>
          </li>
        ))}
      </ol>
    </div>
  )
}

const lineOf = (row: SentRow, text: string | undefined): string =>
  oneLine(row.text ?? text ?? '', 160)
