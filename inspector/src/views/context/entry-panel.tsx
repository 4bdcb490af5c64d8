import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useMemo } from 'react'
import { whyQuery } from '../../api/queries.ts'
import { Button, CopyButton } from '../../parts/button.tsx'
import { EntryText } from '../../parts/entry-text.tsx'
import { FateGlyph } from '../../parts/fate-glyph.tsx'
import { type Fate, fateAt, fateInText, nameOfFate, runAt } from '../../parts/fates.ts'
import { amountOf, fullTime } from '../../parts/format.ts'
import { toCallStops } from '../../parts/stops.ts'
import { useTexts } from '../../parts/use-texts.ts'
import { Choices, type ChoicesProps } from './choices.tsx'
import styles from './entry-panel.module.css'
import { HandBar } from './hand-bar.tsx'
import { rowOf, type Scene } from './scene.ts'
import { type MadeSide, toCode } from './side.ts'
import { WhySection } from './why-section.tsx'

export interface EntryPanelProps extends Pick<ChoicesProps, 'recent' | 'onPick'> {
  readonly scene: Scene
  readonly seq: number | undefined
  readonly sides?: readonly [MadeSide, MadeSide]
}

/** One entry: what became of it and why, its text, its life, and where it would survive; in a comparison, what either side makes of it. */
export function EntryPanel({ scene, seq, sides, recent, onPick }: EntryPanelProps) {
  const { place, point } = scene
  const { thread } = place
  return (
    <aside
      className={styles.panel}
      aria-label={seq === undefined ? 'Every choice' : `Entry ${seq}`}
      data-fate={fateAt(scene.runs, seq ?? 0) ?? 'omitted'}
    >
      {seq !== undefined && (
        <Header {...{ scene, seq }} isCompared={sides !== undefined}>
          <HandBar key={seq} {...{ scene, seq }} />
        </Header>
      )}
      <div className={`scrolls-down thin-bar ${styles.body}`}>
        {seq === undefined ? (
          <p className={styles.muted}>Select a message to see what each side makes of it and why.</p>
        ) : (
          <>
            {sides ? <Verdicts {...{ seq, sides }} /> : <Why {...{ scene, seq }} />}
            <Text {...{ scene, seq }} few={sides ? 500 : 1200} />
            {!sides && <Life {...{ scene, seq }} />}
          </>
        )}
        <section>
          <h3>With other windows and policies</h3>
          <Choices
            {...{ thread, recent, onPick, entry: seq, at: point.at }}
            marked={sides ? sides.map(toChoice) : [{ policy: point.policy, window: point.window }]}
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

interface EntryProps {
  readonly scene: Scene
  readonly seq: number
}

interface HeaderProps extends EntryProps {
  readonly isCompared: boolean
  readonly children: React.ReactNode
}

function Header({ scene, seq, isCompared, children }: HeaderProps) {
  const { entries, runs, moment, select } = scene
  const { role, time, turn, tokens } = entries[seq - 1]!
  const fate = fateAt(runs, seq)
  const index = rowOf(moment.rows, seq)
  const row = moment.rows[index]
  const verdict = runAt(moment.stretches, seq)
  return (
    <header className={styles.header}>
      <h2>
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
      <p>
        {role} · {fullTime(time)} · turn {turn}
        {tokens !== undefined && ` · ${amountOf(tokens, 'token')}`}
      </p>
      {row && !isCompared && (
        <p>
          message {index + 1} of {moment.rows.length}
          {row.standsFor.includes(seq) && `, line ${row.standsFor.indexOf(seq) + 1}`}
          {verdict && ` · by the rule ${verdict.rule}`}
        </p>
      )}
      {children}
    </header>
  )
}

function Why({ scene: { place, entries, runs, moment, shownPoint, select }, seq }: EntryProps) {
  const { data: why } = useQuery(whyQuery(place.thread, seq, shownPoint))
  const turnOf = (at: number) => {
    const turn = entries[at - 1]?.turn ?? 0
    return turn === 0 ? `#${at}` : `turn ${turn}`
  }
  if (why) return <WhySection {...{ why, turnOf }} onSelect={select} />
  if (fateAt(runs, seq) === undefined) return null
  return (
    <section>
      <h3>Why</h3>
      <p className={styles.muted}>{runAt(moment.stretches, seq)?.why ?? 'Being read …'}</p>
    </section>
  )
}

function Verdicts({ seq, sides }: { readonly seq: number; readonly sides: readonly MadeSide[] }) {
  return (
    <dl className={`text-12-18 breaks ${styles.verdicts}`}>
      {sides.map(({ letter, answer }) => {
        const { fate, why } = (answer && runAt(answer.stretches, seq)) ?? {}
        return (
          <div key={letter} data-fate={fate}>
            <dt className="bold">{letter}</dt>
            <dd className="fate-text">{fate && <FateGlyph fate={fate} />}</dd>
            <dd>
              {fate === undefined ? '…' : <b className="fate-text">{sentenceCase(nameOfFate(fate))}</b>}
              {fate && `: ${why?.replace(`${fate}: `, '')}`}
            </dd>
          </div>
        )
      })}
    </dl>
  )
}

const sentenceCase = (text: string) => `${text[0]!.toUpperCase()}${text.slice(1)}`

function Text({ scene: { place, entries, shownPoint }, seq, few }: EntryProps & { readonly few: number }) {
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
        <p className={styles.muted}>Being read …</p>
      ) : (
        <EntryText key={seq} role={entries[seq - 1]!.role} {...{ text, few, places }} />
      )}
    </section>
  )
}

function Code({ letter, full, answer }: MadeSide) {
  const code = toCode({ ...full, window: answer!.window, reserve: answer!.reserve })
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
function Life({ seq, scene }: EntryProps) {
  const { stops, shownPoint: point } = scene
  const { isWhole } = scene.timeline
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
      {!isKnown && <p className={styles.muted}>{isWhole ? 'Not in any context yet.' : 'Being read …'}</p>}
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
