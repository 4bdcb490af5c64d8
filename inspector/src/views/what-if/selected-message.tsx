import { useMemo } from 'react'
import type { ViewPlace } from '../../parts/address.ts'
import { EntryText } from '../../parts/entry-text.tsx'
import { FateGlyph } from '../../parts/fate-glyph.tsx'
import { runAt } from '../../parts/fate-runs.ts'
import { fates as allFates, type Fate } from '../../parts/fates.ts'
import { amountOf, fullTime } from '../../parts/format.ts'
import type { Brief } from '../../parts/log-scale.ts'
import { useTexts } from '../../parts/use-texts.ts'
import { ViewLink } from '../../parts/view-link.tsx'
import styles from './picker.module.css'
import head from './side-head.module.css'
import type { MadeSide } from './use-side.ts'

export interface SelectedMessageProps {
  readonly place: ViewPlace
  readonly entry: Brief
  readonly headSeq: number
  readonly a: MadeSide
  readonly b: MadeSide
}

/** The selected message: its text, and what either side makes of it. */
export function SelectedMessage({ place, entry, headSeq, a, b }: SelectedMessageProps) {
  const { seq, role, time, tokens } = entry
  const seqs = useMemo(() => [seq], [seq])
  const text = useTexts(place.thread, seqs, headSeq)(seq)?.text
  return (
    <section aria-label={`Entry ${seq}`}>
      <header>
        <h2>Selected</h2>
        <ViewLink view="context">Open in context</ViewLink>
      </header>
      <p className="muted text-12">
        <b className="clear heading">#{seq}</b> {role} · {fullTime(time)}
        {tokens !== undefined && ` · ${amountOf(tokens, 'token')}`}
      </p>
      <dl className={styles.verdicts}>
        <Verdict side={a} seq={seq} />
        <Verdict side={b} seq={seq} />
      </dl>
      {/* The choices below stay in sight. */}
      {text !== undefined && <EntryText key={seq} {...{ role, text }} few={500} />}
    </section>
  )
}

function Verdict({ side: { letter, answer }, seq }: { readonly side: MadeSide; readonly seq: number }) {
  const { fate, why } = (answer && runAt(answer.stretches, seq)) ?? {}
  return (
    <div data-fate={fate}>
      <dt>
        <b className={head.letter} data-letter={letter}>
          {letter}
        </b>
      </dt>
      <dd>
        {fate === undefined ? (
          <span>…</span>
        ) : (
          <>
            <FateGlyph fate={fate} />
            <span>
              <b>{inWords[fate]}</b>
              {`: ${why?.replace(`${fate}: `, '')}`}
            </span>
          </>
        )}
      </dd>
    </div>
  )
}

const inWords = Object.fromEntries(
  allFates.map(({ fate }) => [
    fate,
    fate === 'omitted' ? 'Not sent' : `${fate[0]!.toUpperCase()}${fate.slice(1)}`,
  ]),
) as Readonly<Record<Fate, string>>
