import { Link } from '@tanstack/react-router'
import { Columns2 } from 'lucide-react'
import type { SentRow, TimelinePoint } from '../../api/timeline.ts'
import type { Place } from '../../parts/address.ts'
import buttons from '../../parts/button.module.css'
import { calibrationText } from '../../parts/calibration.ts'
import { Explained } from '../../parts/explained.tsx'
import { FateChip } from '../../parts/fate-chip.tsx'
import { fates } from '../../parts/fates.ts'
import { amountOf, count, percent } from '../../parts/format.ts'
import { entryOf, toSegments } from '../../parts/sent-rows.ts'
import { useHover } from '../../parts/use-hover.ts'
import { whyFree } from '../../parts/why-free.ts'
import { WindowBar } from '../../parts/window-bar.tsx'
import styles from './answer-bar.module.css'
import { rowOf } from './scene.ts'

export interface AnswerBarProps {
  readonly place: Place
  readonly point: TimelinePoint
  readonly rows: readonly SentRow[]
  readonly tokensOf: (seq: number) => number
  /** What was wrong with the call, if something was. */
  readonly notice: React.ReactNode
}

/** The answer at a glance: how many messages reached the model, by which fates, and how full its window was. */
export function AnswerBar({ place, point, rows, tokensOf, notice }: AnswerBarProps) {
  const { conversation, search, go } = place
  const { at, counts, tokens, window, reserve, margin, reused, reported, over, policy, call } = point
  const sent = at - counts.elided
  const free = whyFree(point)
  const segments = toSegments(rows, point)
  const shown = fates.filter(({ fate }) => counts[fate] > 0 || search.fate === fate)
  const hover = useHover()
  const caret = search.entry === undefined ? undefined : caretOf(rows, point, search.entry, tokensOf)
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
          <Link
            to="/c/$conversation/what-if"
            params={{ conversation }}
            search={search}
            className={buttons.button}
            data-kind="line"
          >
            <Columns2 size={14} aria-hidden /> What if
          </Link>
        </div>
      </div>
      {notice}
      <WindowBar
        segments={segments}
        window={window}
        reserve={reserve}
        margin={margin}
        reused={reused}
        caret={caret}
        onPoint={(tokens, isPressed) => {
          const seq = tokens === undefined ? undefined : entryAtToken(rows, point, tokens, tokensOf)
          hover.set(seq)
          if (isPressed && seq !== undefined) go({ entry: seq })
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

/** The middle of an entry's place in the window, in tokens from the beginning. */
function caretOf(
  rows: readonly SentRow[],
  { tokens }: TimelinePoint,
  seq: number,
  tokensOf: (seq: number) => number,
): number | undefined {
  const index = rowOf(rows, seq)
  const row = rows[index]
  if (!row) return undefined
  const before = rows.slice(0, index).reduce((sum, one) => sum + one.tokens, 0)
  const bare = Math.max(0, tokens - rows.reduce((sum, one) => sum + one.tokens, 0))
  if (!row.standsFor.includes(seq)) return bare + before + row.tokens / 2
  // Inside of a block: where it stands among the entries that the block quotes.
  const sizes = row.standsFor.map(tokensOf)
  const all = sizes.reduce((sum, size) => sum + size, 0) || 1
  const place = row.standsFor.indexOf(seq)
  const earlier = sizes.slice(0, place).reduce((sum, size) => sum + size, 0) + sizes[place]! / 2
  return bare + before + (row.tokens * earlier) / all
}

/** The entry at a place of the window: the other way round. */
function entryAtToken(
  rows: readonly SentRow[],
  { tokens }: TimelinePoint,
  wanted: number,
  tokensOf: (seq: number) => number,
): number | undefined {
  let left = wanted - Math.max(0, tokens - rows.reduce((sum, row) => sum + row.tokens, 0))
  if (left < 0) return undefined
  for (const row of rows) {
    if (left >= row.tokens) {
      left -= row.tokens
      continue
    }
    const { seqs, standsFor: entries } = row
    if (seqs.length > 0 || entries.length === 0) return entryOf(row)
    const all = entries.reduce((sum, one) => sum + tokensOf(one), 0) || 1
    let share = (left / row.tokens) * all
    return entries.find(one => {
      share -= tokensOf(one)
      return share < 0
    })
  }
  return undefined
}
