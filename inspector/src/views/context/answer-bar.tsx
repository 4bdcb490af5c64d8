import { Columns2 } from 'lucide-react'
import { useMemo } from 'react'
import type { SentRow } from '../../api/timeline.ts'
import { Button } from '../../parts/button.tsx'
import { calibrationText } from '../../parts/calibration.ts'
import { Explained } from '../../parts/explained.tsx'
import { FateChip } from '../../parts/fate-chip.tsx'
import { fates } from '../../parts/fates.ts'
import { amountOf, count, percent } from '../../parts/format.ts'
import { Segments } from '../../parts/segments.tsx'
import { toSegments } from '../../parts/sent-rows.ts'
import { useHover } from '../../parts/use-hover.ts'
import { whyFree } from '../../parts/why-free.ts'
import { WindowBar } from '../../parts/window-bar.tsx'
import styles from './answer-bar.module.css'
import { CallNotice } from './call-notice.tsx'
import type { Scene } from './scene.ts'
import { usualOther } from './side.ts'
import { Verdict } from './verdict.tsx'

/** The answer at a glance: how many messages reached the model, by which fates, and how full its window was. */
export function AnswerBar({ scene }: { readonly scene: Scene }) {
  const { shownPoint: point, select } = scene
  const { search, go } = scene.place
  const { rows } = scene.moment
  const { at, counts, tokens, window, reserve, margin, reused, reported, over, policy, call } = point
  const sent = at - counts.omitted
  const free = whyFree(point)
  const segments = toSegments(rows, point)
  const shown = fates.filter(({ fate }) => counts[fate] > 0 || search.fate === fate)
  const hover = useHover()
  const spans = useMemo(() => spansOf(rows, point.tokens), [rows, point])
  const caret = spans.find(({ seq }) => seq === search.entry)
  const share = (part: number) => `${(100 * part) / Math.max(window, tokens + reserve + margin)}%`
  return (
    <section className={`slim on-panel line-below ${styles.answer}`} aria-label="What reached the model">
      <ContextHead
        scene={scene}
        title={
          <>
            {count(sent)} of {amountOf(at, 'message')}{' '}
            <span>{call === undefined ? 'would reach' : 'reached'} the model</span>
          </>
        }
      >
        <div
          className={styles.chips}
          role="group"
          aria-label="What became of messages: pick one to see only these"
        >
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
      </ContextHead>
      <CallNotice scene={scene} />
      <WindowBar
        {...{ segments, window, reserve, margin, reused }}
        caret={caret && (caret.from + caret.to) / 2}
        marks={spans.flatMap(({ seq, from, to }) => (scene.sources?.has(seq) ? [(from + to) / 2] : []))}
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
            <b>{count(reused)}</b> <span className="wide-only">cached prefix (estimate)</span>
            <span className="phone-only">cached</span> · {percent(reused / tokens)}
          </span>
        ) : (
          <span />
        )}
        <span className="rigid wide-only">
          <b>{count(point.anew)}</b> {point.anew === 1 ? 'new token' : 'new tokens'}
        </span>
        <Explained
          className={styles.total}
          by={`Policy ${policy}; ${count(reserve)} tokens are kept for the reply. ${calibrationText(point.factor)}`}
        >
          {over > 0 ? (
            <span className={styles.over}>
              <b>{count(over)}</b> over: the part that is always sent does not fit
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
      <Verdict scene={scene} />
    </section>
  )
}

export interface ContextHeadProps {
  readonly scene: Scene
  readonly title: React.ReactNode
  readonly children: React.ReactNode
}

const forms = { readable: 'Readable', request: 'Request', text: 'Text' } as const

/** The answer of the view, and the ways to look at it: a form of what was sent, or a comparison. */
export function ContextHead({ scene: { place, shownPoint }, title, children }: ContextHeadProps) {
  const { search, go } = place
  const isCompared = search.b !== undefined
  const noSides = { a: undefined, b: undefined, systemA: undefined, systemB: undefined, said: undefined }
  return (
    <div className={`row slim ${styles.first}`}>
      <h1>{title}</h1>
      {children}
      <div className={`row gap-2 rigid pushed ${styles.actions}`}>
        <Segments
          label="Form of what was sent"
          value={isCompared ? undefined : (search.as ?? 'readable')}
          choices={forms}
          onChoose={form => go({ ...noSides, as: form === 'readable' ? undefined : form }, { push: true })}
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
function spansOf(rows: readonly SentRow[], tokens: number): readonly EntrySpan[] {
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

interface EntrySpan {
  readonly seq: number
  readonly from: number
  readonly to: number
}
