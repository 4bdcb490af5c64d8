import { Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import type { Place } from '../../parts/address.ts'
import { CodeText } from '../../parts/code-text.tsx'
import { FateGlyph } from '../../parts/fate-glyph.tsx'
import { fates as allFates, type Fate } from '../../parts/fates.ts'
import { amountOf, count, fullTime } from '../../parts/format.ts'
import type { Brief } from '../../parts/log-scale.ts'
import { useTexts } from '../../parts/use-texts.ts'
import { verdictOn } from './difference.ts'
import styles from './picker.module.css'
import head from './side-head.module.css'
import type { SideAnswer } from './side-head.tsx'

export interface SelectedMessageProps {
  readonly place: Place
  readonly entry: Brief
  readonly headSeq: number
  readonly a: SideAnswer | undefined
  readonly b: SideAnswer | undefined
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
        <Link
          to="/c/$conversation/context"
          params={{ conversation: place.conversation }}
          search={place.search}
        >
          Open in context
        </Link>
      </header>
      <p className="muted text-12">
        <b className="clear heading">#{seq}</b> {role} · {fullTime(time)}
        {tokens !== undefined && ` · ${amountOf(tokens, 'token')}`}
      </p>
      <dl className={styles.verdicts}>
        {(
          [
            ['A', a],
            ['B', b],
          ] as const
        ).map(([letter, answer]) => (
          <Verdict key={letter} letter={letter} answer={answer} seq={seq} />
        ))}
      </dl>
      {text !== undefined && <LongText key={seq} {...{ role, text }} />}
    </section>
  )
}

const longest = 500

/** A long text shows its beginning: the choices below stay in sight. */
function LongText({ role, text }: { readonly role: string; readonly text: string }) {
  const [isWhole, setWhole] = useState(text.length <= longest)
  return (
    <>
      <p className="written">
        <CodeText text={isWhole ? text : `${text.slice(0, longest)}…`} isCode={role === 'tool'} />
      </p>
      {!isWhole && (
        <button type="button" className="accent link-text" onClick={() => setWhole(true)}>
          Show all {count(text.length)} characters
        </button>
      )}
    </>
  )
}

interface VerdictProps {
  readonly letter: string
  readonly answer: SideAnswer | undefined
  readonly seq: number
}

function Verdict({ letter, answer, seq }: VerdictProps) {
  const { fate, why } = (answer && verdictOn(answer.stretches, seq)) ?? {}
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
    fate === 'elided' ? 'Not sent' : `${fate[0]!.toUpperCase()}${fate.slice(1)}`,
  ]),
) as Readonly<Record<Fate, string>>
