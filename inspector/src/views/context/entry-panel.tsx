import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useDeferredValue, useMemo } from 'react'
import { gridQuery, whyQuery } from '../../api/queries.ts'
import { Button } from '../../parts/button.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { EntryText } from '../../parts/entry-text.tsx'
import { FateGlyph } from '../../parts/fate-glyph.tsx'
import { FateMatrix } from '../../parts/fate-matrix.tsx'
import { fateAt, fateInText, runAt } from '../../parts/fate-runs.ts'
import type { Fate } from '../../parts/fates.ts'
import { amountOf, fullTime } from '../../parts/format.ts'
import type { OfferedPolicy } from '../../parts/policies.ts'
import { toCallStops } from '../../parts/stops.ts'
import { useTexts } from '../../parts/use-texts.ts'
import { ViewLink } from '../../parts/view-link.tsx'
import styles from './entry-panel.module.css'
import { rowOf, type Scene } from './scene.ts'
import { WhySection } from './why-section.tsx'

export interface EntryPanelProps {
  readonly scene: Scene
  readonly seq: number
}

/** One entry: what became of it, by which rule and why, its text, its life, and where it would survive. */
export function EntryPanel(props: EntryPanelProps) {
  const { seq, scene } = props
  const { place, entries, runs, shownPoint: point, moment, stops, select } = scene
  const { role, time, turn, tokens } = entries[seq - 1]!
  const { rows, stretches } = moment
  const fate = fateAt(runs, seq)
  const index = rowOf(rows, seq)
  const row = rows[index]
  const verdict = runAt(stretches, seq)
  const { data: why } = useQuery(whyQuery(place.thread, seq, point))
  const seqs = useMemo(() => [seq], [seq])
  const text = useTexts(place.thread, seqs, entries.length)(seq)?.text
  // Hits are places in the searched text, which may differ from the shown one by notes and calls.
  const match = why?.recall?.found
  const hits = match && text?.startsWith(match.text) ? match.hits : []
  return (
    <aside className={styles.panel} aria-label={`Entry ${seq}`} data-fate={fate ?? 'omitted'}>
      <header className={styles.header}>
        <h2>
          <span className={`grid fate ${styles.glyph}`}>
            <FateGlyph fate={fate ?? 'omitted'} size={15} />
          </span>
          {fate === undefined ? 'Not written yet' : titles[fate]}
          <span className="pushed soft medium">#{seq}</span>
          <Button
            kind="icon"
            aria-label="Close"
            onClick={() => select(undefined)}
            className={styles.close ?? ''}
          >
            <X size={14} aria-hidden />
          </Button>
        </h2>
        <p>
          {role} · {fullTime(time)} · turn {turn}
          {tokens !== undefined && ` · ${amountOf(tokens, 'token')}`}
        </p>
        {row && (
          <p>
            message {index + 1} of {rows.length}
            {row.standsFor.includes(seq) && `, line ${row.standsFor.indexOf(seq) + 1}`}
            {verdict && ` · by the rule ${verdict.rule}`}
          </p>
        )}
      </header>
      <div className={`scrolls-down thin-bar ${styles.body}`}>
        {why && <WhySection why={why} onSelect={select} />}
        {fate !== undefined && !why && (
          <section>
            <h3>Why</h3>
            <p className={styles.muted}>{verdict?.why ?? 'Being read …'}</p>
          </section>
        )}
        <section>
          <h3>Text {text !== undefined && <CopyButton text={text} />}</h3>
          {text === undefined ? (
            <p className={styles.muted}>Being read …</p>
          ) : (
            <EntryText key={seq} {...{ role, text }} few={1200} places={hits} />
          )}
        </section>
        <section>
          <h3>Its life, by {stops.length === 1 ? 'call' : 'turn'}</h3>
          <Life {...props} />
        </section>
        <section>
          <h3>
            With other windows and policies
            <ViewLink view="what-if" className={styles.open}>
              Open what if
            </ViewLink>
          </h3>
          {rows.length > 0 && <Matrix {...props} />}
        </section>
      </div>
    </aside>
  )
}

const titles: Readonly<Record<Fate, string>> = {
  kept: 'Kept as it is',
  recalled: 'Recalled, word for word',
  cleared: 'Cleared: sent as one line',
  digested: 'Digested into a line',
  altered: 'Sent, but changed',
  moved: 'Moved to the notes',
  omitted: 'Not sent',
}

/** By turns, or by the calls of an only turn: `kept 9–16, recalled 17–20, out of view 21–167, recalled now` */
function Life({ seq, scene }: EntryPanelProps) {
  const { stops, shownPoint: point } = scene
  const { isWhole } = scene.timeline
  const runs = useMemo(() => {
    const periods: { fate: Fate; from: number; to: number }[] = []
    const isByCall = stops.length === 1
    for (const [index, { turn, points }] of (isByCall ? toCallStops(stops) : stops).entries()) {
      const number = isByCall ? index + 1 : turn
      const fates = points[0]?.fates
      const fate = fates === undefined ? undefined : fateInText(fates, seq)
      if (fate === undefined) continue
      const last = periods.at(-1)
      if (last?.fate === fate) last.to = number
      else periods.push({ fate, from: number, to: number })
    }
    return periods
  }, [seq, stops])
  // The calls of a turn are numbered when all are read.
  if (runs.length === 0 || (stops.length === 1 && !isWhole))
    return <p className={styles.muted}>{isWhole ? 'Not in any context yet.' : 'Being read …'}</p>
  const calls = stops.length === 1 ? stops[0]!.points : []
  const here = stops.length === 1 ? calls.findIndex(({ at }) => at === point.at) + 1 : point.turn
  // A long life is shown only around this turn.
  const now = runs.findLastIndex(({ from }) => from <= here)
  const first = Math.max(0, Math.min(now - 4, runs.length - 7))
  const shown = runs.slice(first, first + 7)
  return (
    <p className={`text-12 ${styles.life}`}>
      {first > 0 && '… '}
      {shown.map(({ fate, from, to }, at) => (
        <span key={from} data-fate={fate} data-now={first + at === now}>
          <b className="fate-text">{fate === 'omitted' ? 'out of view' : fate}</b> {spanOf(from, to, here)}
          {at < shown.length - 1 ? ', ' : ''}
        </span>
      ))}
      {first + 7 < runs.length && ' …'}
    </p>
  )
}

function spanOf(from: number, to: number, now: number): string {
  if (from === to) return from === now ? 'now' : String(from)
  return to === now ? `${from} to now` : `${from}–${to}`
}

const windows = [2048, 4096, 8192, 16_384, 32_768]
const policies: OfferedPolicy[] = ['balanced', 'thorough', 'stable', 'tiered', 'sliding-50']

function Matrix({ seq, scene: { place, shownPoint: point } }: EntryPanelProps) {
  const gridOptions = useDeferredValue(
    useMemo(() => ({ windows, policies, entry: seq, at: point.at }), [seq, point.at]),
  )
  const { data = [] } = useQuery(gridQuery(place.thread, gridOptions))
  return (
    <FateMatrix
      {...{ windows, policies, cells: data }}
      label={`The fate of entry ${seq} in other windows and with other policies`}
      marked={policies
        .filter(
          policy =>
            policy === point.policy ||
            data.some(one => one.policyName === policy && one.policy === point.policy),
        )
        .map(policy => ({ policy, window: point.window }))}
    />
  )
}
