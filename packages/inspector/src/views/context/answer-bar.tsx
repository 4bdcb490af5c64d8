import { useQuery } from '@tanstack/react-query'
import { Columns2 } from 'lucide-react'
import { lazy, Suspense, useMemo } from 'react'
import { keepTrying } from '../../api/connection.ts'
import { statusQuery } from '../../api/queries.ts'
import type { SentRow } from '../../api/timeline.ts'
import { Button } from '../../parts/button.tsx'
import { cacheOf, cacheSource } from '../../parts/cache-share.ts'
import { Explained } from '../../parts/explained.tsx'
import chip from '../../parts/fate-chip.module.css'
import { FateGlyph } from '../../parts/fate-glyph.tsx'
import { fates } from '../../parts/fates.ts'
import { endWords, warningName, warningText } from '../../parts/fault-words.ts'
import { amountOf, count, percent } from '../../parts/format.ts'
import { Notice } from '../../parts/notice.tsx'
import { Segments } from '../../parts/segments.tsx'
import { toSegments } from '../../parts/sent-rows.ts'
import { StatusMark } from '../../parts/status-mark.tsx'
import { isBroken } from '../../parts/stops.ts'
import { calibrationText, ofWindow } from '../../parts/token-words.ts'
import { useNow } from '../../parts/use-now.ts'
import { ViewLink } from '../../parts/view-link.tsx'
import { WindowBar } from '../../parts/window-bar.tsx'
import styles from './answer-bar.module.css'
import { hover, useScene } from './scene.ts'
import { noSides, usualOther } from './side.ts'
import { Verdict } from './verdict.tsx'

const ShadowPanel = lazy(() =>
  keepTrying(async () => ({ default: (await import('./shadow-panel.tsx')).ShadowPanel })),
)

/** The answer at a glance: how many messages reached the model, by which fates, and how full its window was. */
export function AnswerBar() {
  const { place, moment, shownPoint: point, select, lit } = useScene()
  const { search, go } = place
  const { rows } = moment
  const { at, counts, tokens, window, reserve, margin, reported, over, policy, call, shadow } =
    point
  const cache = cacheOf(point)
  const sent = at - counts.omitted
  const segments = toSegments(rows, point)
  const shown = fates.filter(({ fate }) => counts[fate] > 0 || search.fate === fate)
  const spans = useMemo(() => spansOf(rows, point.tokens), [rows, point])
  const caret = spans.find(({ seq }) => seq === search.entry)
  const share = (part: number) =>
    `${(100 * part) / Math.max(window ?? 0, tokens + reserve + margin)}%`
  return (
    <section
      className={`slim on-panel line-below ${styles.answer}`}
      aria-label="What reached the model"
    >
      <ContextHead
        title={
          <>
            {count(sent)} of {amountOf(at, 'message')}{' '}
            <span className="muted medium">
              {shadow
                ? 'would have been sent'
                : call === undefined
                  ? 'would reach the model'
                  : 'reached the model'}
            </span>
          </>
        }
      >
        <div
          className={styles.chips}
          role="group"
          aria-label="What became of messages: pick one to see only these"
        >
          {shown.map(({ fate, name, about }) => (
            <button
              key={fate}
              type="button"
              className={chip.chip}
              data-fate={fate}
              data-none={counts[fate] === 0}
              title={about}
              aria-pressed={search.fate === fate}
              onClick={() => go({ fate: search.fate === fate ? undefined : fate })}
            >
              <FateGlyph fate={fate} />
              <b>{count(counts[fate])}</b>
              <span>{name}</span>
            </button>
          ))}
        </div>
      </ContextHead>
      <CallNotice />
      {shadow && (
        <Suspense fallback={null}>
          <ShadowPanel />
        </Suspense>
      )}
      <WindowBar
        {...{ segments, window, reserve, margin }}
        reused={cache.drawn}
        caret={caret && (caret.from + caret.to) / 2}
        marks={spans.flatMap(({ seq, from, to }) => (lit?.has(seq) ? [(from + to) / 2] : []))}
        onPoint={(tokens, isPressed) => {
          const seq = spans.findLast(({ from, to }) => tokens && from <= tokens && tokens < to)?.seq
          hover.set(seq)
          if (isPressed && seq !== undefined) select(seq)
        }}
        label={`The window: ${count(tokens)} ${ofWindow(window)} are sent, ${count(point.free)} are free, ${count(reserve)} kept for the reply. ${count(cache.tokens)} were read before, ${cache.isReported ? 'as the model reported' : 'by our estimate'}.`}
      />
      <p className={`flex soft label one-line bright ${styles.figures}`}>
        {cache.tokens > 0 || cache.isReported ? (
          <span className={styles.reused} style={{ flexBasis: share(cache.drawn) }}>
            <b>{count(cache.tokens)}</b>{' '}
            <span className="wide-only">{cacheSource(cache.isReported)}</span>
            <span className="phone-only">cached</span> · {percent(cache.share)}
          </span>
        ) : (
          <span />
        )}
        <span className="rigid wide-only">
          <b>{count(cache.anew)}</b> {cache.anew === 1 ? 'new token' : 'new tokens'}
        </span>
        <Explained
          className={`rigid pushed ${styles.total}`}
          by={`Policy ${policy}; ${count(reserve)} tokens are kept for the reply. ${calibrationText(point.factor, shadow ? undefined : reported)}`}
        >
          {over > 0 ? (
            <span className={`danger ${styles.over}`}>
              <b className="danger">{count(over)}</b> over: the part that is always sent does not
              fit
            </span>
          ) : (
            <>
              <b>{count(tokens)}</b> {ofWindow(window)}
            </>
          )}
          {reported !== undefined && !shadow && (
            <span className="wide-only">
              {' '}
              · the model reported <b>{count(reported)}</b>
            </span>
          )}
        </Explained>
      </p>
      <Verdict />
    </section>
  )
}

/** Says that a call failed or had warnings and what to do, or that an answer is being written. */
function CallNotice() {
  const { place, point, shownPoint, moment, timeline } = useScene()
  const { data: status } = useQuery(statusQuery(place.thread))
  const { status: went, error, model, window, reported, tokens, policy } = shownPoint
  const others = moment.call?.warnings.filter(code => code !== error) ?? []
  // Only the newest call of the thread can be open.
  const isOpen = status?.state === 'open' && point === timeline.points.at(-1)
  if (!isBroken(shownPoint) && others.length === 0 && !isOpen) return null
  return (
    <div className={`grid gap-1 ${styles.notices}`}>
      {isOpen && (
        <Notice icon={<StatusMark status="live" label="live" />}>
          <b>Answering.</b> Turn {status.turn}
          <Seconds since={status.startedAt} />
        </Notice>
      )}
      {isBroken(shownPoint) && (
        <Notice
          kind={went === 'failed' ? 'danger' : 'plain'}
          icon={<StatusMark status="interrupted" />}
        >
          {endWords(went!, error, model)}
        </Notice>
      )}
      {others.map(code => (
        <Notice key={code} kind="danger">
          <b>{warningName(code)}.</b>{' '}
          {warningText(code, { reported, predicted: tokens, cacheLost: moment.call?.cacheLost })}.{' '}
          {code === 'prompt_truncated' && reported !== undefined && (
            <ViewLink
              view="context"
              search={{ ...place.search, b: `${Math.round(reported)}.${policy}` }}
            >
              Compare with a window of {count(reported)}
            </ViewLink>
          )}
          {code === 'over' &&
            window !== undefined &&
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

const forms = { readable: 'Readable', request: 'Request', text: 'Text' } as const

/** The answer of the view, and the ways to look at it: a form of what was sent, or a comparison. */
export function ContextHead(props: React.PropsWithChildren<{ readonly title: React.ReactNode }>) {
  const { title, children } = props
  const { place, shownPoint } = useScene()
  const { search, go } = place
  const isCompared = search.b !== undefined
  return (
    <div className={`row slim ${styles.first}`}>
      <h1 className="rigid one-line">{title}</h1>
      {children}
      <div className={`row gap-2 rigid pushed ${styles.actions}`}>
        <Segments
          label="Form of what was sent"
          value={isCompared ? undefined : (search.as ?? 'readable')}
          choices={forms}
          onChoose={form =>
            go({ ...noSides, as: form === 'readable' ? undefined : form }, { push: true })
          }
        />
        <Button
          aria-pressed={isCompared}
          onClick={() =>
            go(isCompared ? noSides : { b: usualOther(shownPoint), as: undefined }, { push: true })
          }
        >
          <Columns2 size={14} aria-hidden /> {isCompared ? 'End comparison' : 'Compare with …'}
        </Button>
      </div>
    </div>
  )
}

/** The places of entries in the window, in tokens from the beginning. Entries that a message quotes share its place. */
function spansOf(rows: readonly SentRow[], tokens: number) {
  let at = Math.max(0, tokens - rows.reduce((sum, row) => sum + row.tokens, 0))
  return rows.flatMap(row => {
    const { seqs, standsFor } = row
    const from = at
    at += row.tokens
    const each = row.tokens / Math.max(1, standsFor.length)
    return [
      ...standsFor.map((seq, n) => ({ seq, from: from + n * each, to: from + (n + 1) * each })),
      ...seqs.filter(seq => seq > 0).map(seq => ({ seq, from, to: at })),
    ]
  })
}
