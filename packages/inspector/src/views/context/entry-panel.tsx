import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { lazy, Suspense, useMemo, useState } from 'react'
import { keepTrying } from '../../api/connection.ts'
import { handsQuery, whyQuery } from '../../api/queries.ts'
import { Button, CopyButton } from '../../parts/button.tsx'
import { FateGlyph } from '../../parts/fate-glyph.tsx'
import { type Fate, fateAt, fateInText, nameOfFate, runAt } from '../../parts/fates.ts'
import { amountOf, count, fullTime } from '../../parts/format.ts'
import { Marked, type Places } from '../../parts/marked.tsx'
import { toCallStops } from '../../parts/stops.ts'
import { useTexts } from '../../parts/use-texts.ts'
import { Choices, type ChoicesProps } from './choices.tsx'
import styles from './entry-panel.module.css'
import { rowOf, useScene } from './scene.ts'
import { type MadeSide, toCode } from './side.ts'
import { Why } from './why-section.tsx'

const HandBar = lazy(() =>
  keepTrying(async () => ({ default: (await import('./hand-bar.tsx')).HandBar })),
)

interface EntryPanelProps extends Omit<ChoicesProps, 'marked'> {
  readonly sides?: readonly [MadeSide, MadeSide]
}

/** One entry: its fate and why, its text, its life, and where it would survive; in a comparison, what either side makes of it. */
export function EntryPanel({ sides, recent, onPick }: EntryPanelProps) {
  const { point, runs, selected: seq } = useScene()
  const { policy, window } = point
  return (
    <aside
      className={styles.panel}
      aria-label={seq === undefined ? 'Every choice' : `Entry ${seq}`}
      data-fate={fateAt(runs, seq ?? 0) ?? 'omitted'}
    >
      {seq !== undefined && <Header seq={seq} isCompared={sides !== undefined} />}
      <div className={`scrolls-down thin-bar ${styles.body}`}>
        {seq === undefined ? (
          <p className="muted">Select a message to see what each side makes of it and why.</p>
        ) : (
          <>
            {sides ? <Verdicts {...{ seq, sides }} /> : <Why seq={seq} />}
            <Text seq={seq} few={sides ? 500 : 1200} />
            {!sides && <Life seq={seq} />}
          </>
        )}
        <section>
          <h3>With other windows and policies</h3>
          <Choices
            {...{ recent, onPick }}
            marked={sides ? sides.map(toChoice) : [{ policy, window }]}
          />
        </section>
        {sides?.[1].answer && <Code {...sides[1]} />}
      </div>
    </aside>
  )
}

const toChoice = ({ letter, full: { policy, window, effort } }: MadeSide) => ({
  ...{ letter, window, policy: effort === undefined ? policy : undefined },
})

function Header({ seq, isCompared }: { readonly seq: number; readonly isCompared: boolean }) {
  const { entries, runs, moment, select } = useScene()
  const { role, time, turn, tokens } = entries[seq - 1]!
  const fate = fateAt(runs, seq)
  const index = rowOf(moment.rows, seq)
  const row = moment.rows[index]
  const verdict = runAt(moment.stretches, seq)
  return (
    <header className={`line-below ${styles.header}`}>
      <h2 className="row gap-2 heading fate-text">
        {!isCompared && (
          <>
            <span className={`grid fate ${styles.glyph}`}>
              <FateGlyph fate={fate ?? 'omitted'} size={15} />
            </span>
            {fate === undefined ? 'Not written yet' : titles[fate]}
          </>
        )}
        <span className={isCompared ? undefined : 'pushed soft medium'}>#{seq}</span>
        <Button
          kind="icon"
          aria-label="Close"
          onClick={() => select(undefined)}
          className={`${styles.close} ${isCompared ? 'pushed' : ''}`}
        >
          <X size={14} aria-hidden />
        </Button>
      </h2>
      <p className="muted text-12-18">
        {role} · {fullTime(time)} · turn {turn}
        {tokens !== undefined && ` · ${amountOf(tokens, 'token')}`}
      </p>
      {row && !isCompared && (
        <p className="muted text-12-18">
          message {index + 1} of {moment.rows.length}
          {row.standsFor.includes(seq) && `, line ${row.standsFor.indexOf(seq) + 1}`}
          {verdict && ` · by the rule ${verdict.rule}`}
        </p>
      )}
      <Suspense fallback={null}>
        <HandBar key={seq} seq={seq} />
      </Suspense>
    </header>
  )
}

function Verdicts({ seq, sides }: { readonly seq: number; readonly sides: readonly MadeSide[] }) {
  return (
    <dl className={`text-12-18 breaks ${styles.verdicts}`}>
      {sides.map(({ letter, answer }) => {
        const { fate, why } = (answer && runAt(answer.stretches, seq)) ?? {}
        return (
          <div key={letter} className="grid" data-fate={fate}>
            <dt className="bold">{letter}</dt>
            <dd className="fate-text">{fate && <FateGlyph fate={fate} />}</dd>
            <dd>
              {fate === undefined ? (
                '…'
              ) : (
                <b className="fate-text">{sentenceCase(nameOfFate(fate))}</b>
              )}
              {fate && `: ${why?.replace(`${fate}: `, '')}`}
            </dd>
          </div>
        )
      })}
    </dl>
  )
}

const sentenceCase = (text: string) => `${text[0]!.toUpperCase()}${text.slice(1)}`

function Text({ seq, few }: { readonly seq: number; readonly few: number }) {
  const { place, entries, shownPoint } = useScene()
  const { data: why } = useQuery(whyQuery(place.thread, seq, shownPoint))
  const seqs = useMemo(() => [seq], [seq])
  const text = useTexts(place.thread, seqs, entries.length)(seq)?.text
  // Hits are places in the searched text, which may differ from the shown one by notes and calls.
  const match = why?.recall?.found
  const places = match && text?.startsWith(match.text) ? match.hits : []
  return (
    <section>
      <h3>Text {text !== undefined && <CopyButton text={text} />}</h3>
      {text === undefined ? (
        <p className="muted">Being read …</p>
      ) : (
        <EntryText key={seq} role={entries[seq - 1]!.role} {...{ text, few, places }} />
      )}
    </section>
  )
}

function Code({ letter, full, answer }: MadeSide) {
  const { thread } = useScene().place
  const { data: hands } = useQuery({ ...handsQuery(thread), enabled: full.hands === 'now' })
  const settings = { ...full, window: answer!.window, reserve: answer!.reserve }
  const code = toCode(settings, full.hands === 'now' ? hands : undefined)
  return (
    <section>
      <h3>
        {letter}, as code <CopyButton text={code} />
      </h3>
      <pre className={`written code on-sunken framed round-2 ${styles.code}`}>{code}</pre>
    </section>
  )
}

const titles: Readonly<Record<Fate, string>> = {
  kept: 'Kept as it is',
  recalled: 'Brought back',
  cleared: 'Cleared: sent as one line',
  digested: 'Shortened to a line',
  altered: 'Sent, but changed',
  moved: 'Moved to the notes',
  omitted: 'Not sent',
}

/** By turns, or by the calls of an only turn: `kept 9–16, not sent 17–167, brought back now` */
function Life({ seq }: { readonly seq: number }) {
  const { stops, timeline, shownPoint: point } = useScene()
  const { isWhole } = timeline
  const isByCall = stops.length === 1
  const runs = useMemo(() => {
    const periods: { fate: Fate; from: number; to: number }[] = []
    for (const [index, { turn, points }] of (isByCall ? toCallStops(stops) : stops).entries()) {
      const number = isByCall ? index + 1 : turn
      const shown = !isByCall && turn === point.turn ? point : points[0]
      const fate = fateInText(shown?.fates ?? '', seq)
      if (fate === undefined) continue
      const last = periods.at(-1)
      if (last?.fate === fate) last.to = number
      else periods.push({ fate, from: number, to: number })
    }
    return periods
  }, [seq, stops, isByCall, point])
  // The calls of a turn are numbered when all are read.
  const isKnown = runs.length > 0 && (!isByCall || isWhole)
  const here = isByCall ? stops[0]!.points.findIndex(({ at }) => at === point.at) + 1 : point.turn
  // A long life is shown only around this turn.
  const now = runs.findLastIndex(({ from }) => from <= here)
  const first = Math.max(0, Math.min(now - 4, runs.length - 7))
  const shown = runs.slice(first, first + 7)
  return (
    <section>
      <h3>Its life, by {isByCall ? 'call' : 'turn'}</h3>
      {!isKnown && <p className="muted">{isWhole ? 'Not in any context yet.' : 'Being read …'}</p>}
      {isKnown && (
        <p className={`text-12 ${styles.life}`}>
          {first > 0 && '… '}
          {shown.map(({ fate, from, to }, at) => (
            <span key={from} data-fate={fate} data-now={first + at === now}>
              <b className="fate-text">{nameOfFate(fate)}</b> {spanOf(from, to, here)}
              {at < shown.length - 1 ? ', ' : ''}
            </span>
          ))}
          {first + 7 < runs.length && ' …'}
        </p>
      )}
    </section>
  )
}

function spanOf(from: number, to: number, now: number): string {
  if (from === to) return from === now ? 'now' : String(from)
  return to === now ? `${from} to now` : `${from}–${to}`
}

/** The most characters that are ever shown: a page cannot lay out a message of megabytes. */
const mostCharacters = 100_000

interface EntryTextProps {
  readonly role: string
  readonly text: string
  /** The characters that are shown at first. */
  readonly few: number
  readonly places: Places
}

/** The text of an entry. The rest of a long one on demand. */
function EntryText({ role, text, few, places }: EntryTextProps) {
  const [isWhole, setWhole] = useState(false)
  const shown = text.slice(0, isWhole ? mostCharacters : few)
  return (
    <>
      <p className="written">
        <CodeText
          {...{ role, text: shown }}
          places={places.filter(([, to]) => to <= shown.length)}
        />
        {shown.length < text.length && '…'}
      </p>
      {shown.length < text.length && (
        <p className={`muted ${styles.rest}`}>
          {isWhole ? (
            `Copy it to see the other ${count(text.length - mostCharacters)} characters.`
          ) : (
            <Button kind="plain" onClick={() => setWhole(true)}>
              Show all {count(text.length)} characters
            </Button>
          )}
        </p>
      )}
    </>
  )
}

/** Code between fences, and a tool call as this page writes it. */
const code = /```[\s\S]*?(?:```|(?![\s\S]))|^→ .*$/gm

/** A text as it was written, its code in letters of one width; of a tool all of it. */
function CodeText({ role, text, places }: Pick<EntryTextProps, 'role' | 'text' | 'places'>) {
  const ends =
    role === 'tool'
      ? [0, text.length]
      : [...text.matchAll(code)].flatMap(({ 0: { length }, index }) => [index, index + length])
  return [0, ...ends, text.length].map((end, at, all) => {
    const from = all[at - 1] ?? 0
    const piece = (
      <Marked
        key={from}
        text={text.slice(from, end)}
        places={places.flatMap(([first, last]) =>
          first < end && last > from
            ? [[Math.max(first, from) - from, Math.min(last, end) - from] as const]
            : [],
        )}
      />
    )
    if (from === end) return null
    return at % 2 === 0 ? (
      <code key={`code ${from}`} className="code">
        {piece}
      </code>
    ) : (
      piece
    )
  })
}
