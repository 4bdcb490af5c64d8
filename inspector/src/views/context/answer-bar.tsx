import { Columns2 } from 'lucide-react'
import { useMemo } from 'react'
import type { SentRow } from '../../api/timeline.ts'
import { calibrationText } from '../../parts/calibration.ts'
import { Explained } from '../../parts/explained.tsx'
import { FateChip } from '../../parts/fate-chip.tsx'
import { fates } from '../../parts/fates.ts'
import { amountOf, count, percent } from '../../parts/format.ts'
import type { Brief } from '../../parts/log-scale.ts'
import { entryOf, toSegments } from '../../parts/sent-rows.ts'
import { useHover } from '../../parts/use-hover.ts'
import { ViewLink } from '../../parts/view-link.tsx'
import { whyFree } from '../../parts/why-free.ts'
import { WindowBar } from '../../parts/window-bar.tsx'
import styles from './answer-bar.module.css'
import { CallNotice } from './call-notice.tsx'
import type { Scene } from './scene.ts'

/** The answer at a glance: how many messages reached the model, by which fates, and how full its window was. */
export function AnswerBar({ scene }: { readonly scene: Scene }) {
  const { shownPoint: point, entries, select } = scene
  const { search, go } = scene.place
  const { rows } = scene.moment
  const { at, counts, tokens, window, reserve, margin, reused, reported, over, policy, call } = point
  const sent = at - counts.omitted
  const free = whyFree(point)
  const segments = toSegments(rows, point)
  const shown = fates.filter(({ fate }) => counts[fate] > 0 || search.fate === fate)
  const hover = useHover()
  const spans = useMemo(() => spansOf(rows, point.tokens, entries), [rows, point, entries])
  const caret = spans.find(({ seq }) => seq === search.entry)
  const share = (part: number) => `${(100 * part) / Math.max(window, tokens + reserve + margin)}%`
  return (
    <section className={`slim on-panel line-below ${styles.answer}`} aria-label="What reached the model">
      <div className={`row slim ${styles.first}`}>
        <h1>
          {count(sent)} of {amountOf(at, 'message')}{' '}
          <span>{call === undefined ? 'would reach' : 'reached'} the model</span>
        </h1>
        <div className={styles.chips} role="group" aria-label="Fates: pick one to see only these">
          {shown.map(({ fate }) => (
            <FateChip
              key={fate}
              fate={fate}
              amount={counts[fate]}
              isPicked={search.fate === fate}
              onPick={() => go({ fate: search.fate === fate ? undefined : fate })}
            />
          ))}
        </div>
        <div className={`row gap-4 rigid pushed full-only ${styles.actions}`}>
          <Explained
            className="inline soft chip-text one-line framed row-high padded-tight round-2"
            by={`The policy and the window that was set; ${count(reserve)} tokens are kept for the reply. ${calibrationText(point.factor)}`}
          >
            {policy} · {count(window)}
          </Explained>
          <ViewLink view="what-if" isButton>
            <Columns2 size={14} aria-hidden /> What if
          </ViewLink>
        </div>
      </div>
      <CallNotice scene={scene} />
      <WindowBar
        {...{ segments, window, reserve, margin, reused }}
        caret={caret && (caret.from + caret.to) / 2}
        onPoint={(tokens, isPressed) => {
          const seq = spans.findLast(({ from, to }) => tokens && from <= tokens && tokens < to)?.seq
          hover.set(seq)
          if (isPressed && seq !== undefined) select(seq)
        }}
        label={`The window: ${count(tokens)} of ${count(window)} tokens are sent, ${count(point.free)} are free, ${count(reserve)} kept for the reply. ${count(reused)} were read before.`}
      />
      <p className={`flex soft label one-line bright ${styles.figures}`}>
        {reused > 0 ? (
          <span className={styles.reused} style={{ flexBasis: share(reused) }}>
            <b>{count(reused)}</b> <span className="wide-only">reused from the call before</span>
            <span className="phone-only">reused</span> · {percent(reused / tokens)}
          </span>
        ) : (
          <span />
        )}
        <span className="rigid wide-only">
          <b>{count(point.anew)}</b> read anew
        </span>
        <Explained className={styles.total} by={calibrationText(point.factor)}>
          {over > 0 ? (
            <span className={styles.over}>
              <b>{count(over)}</b> over: the protected part alone does not fit
            </span>
          ) : (
            <>
              <b>{count(tokens)}</b> of {count(window)} tokens
            </>
          )}
          {reported !== undefined && (
            <span className="wide-only">
              {' '}
              · the model reported <b>{count(reported)}</b>
            </span>
          )}
        </Explained>
      </p>
      {free !== undefined && <p className="muted text-11 to-right">{free}</p>}
    </section>
  )
}

/**
 * The places of entries in the window, in tokens from the beginning. Those that a message quotes come before the message: a
 * cleared entry that is recalled too is looked for in its block.
 */
function spansOf(rows: readonly SentRow[], tokens: number, entries: readonly Brief[]) {
  const tokensOf = (seq: number) => entries[seq - 1]?.tokens ?? 1
  let at = Math.max(0, tokens - rows.reduce((sum, row) => sum + row.tokens, 0))
  const quoted: EntrySpan[] = []
  const messageSpans: EntrySpan[] = []
  for (const row of rows) {
    const seq = entryOf(row)
    const all = row.standsFor.reduce((sum, one) => sum + tokensOf(one), 0) || 1
    let from = at
    for (const one of row.standsFor) {
      const to = from + (row.tokens * tokensOf(one)) / all
      quoted.push({ seq: one, from, to })
      from = to
    }
    if (seq !== undefined) messageSpans.push({ seq, from: at, to: at + row.tokens })
    at += row.tokens
  }
  return [...quoted, ...messageSpans]
}

interface EntrySpan {
  readonly seq: number
  readonly from: number
  readonly to: number
}
