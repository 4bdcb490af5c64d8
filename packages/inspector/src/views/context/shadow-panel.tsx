import { useQuery } from '@tanstack/react-query'
import { serverQuery } from '../../api/queries.ts'
import { type ShadowCall, shadowQuery } from '../../api/shadow.ts'
import type { TimelinePoint } from '../../api/timeline.ts'
import { FateGlyph } from '../../parts/fate-glyph.tsx'
import { type Fate, nameOfFate } from '../../parts/fates.ts'
import { amountOf, count, percent } from '../../parts/format.ts'
import { moneyOf } from '../../parts/token-words.ts'
import { useScene } from './scene.ts'
import styles from './shadow-panel.module.css'
import { EntryLink } from './why-section.tsx'

type ShadowAccount = NonNullable<TimelinePoint['shadow']>

/** What was passed, what would have been sent, and the newest messages that fit: beside each other, one message at one place. */
export function ShadowPanel() {
  const { place, shownPoint: point, runs } = useScene()
  const { shadow, at, call } = point
  const { data: server } = useQuery(serverQuery)
  const { data: calls = [] } = useQuery({
    ...shadowQuery(place.thread, call),
    enabled: shadow !== undefined,
  })
  if (!shadow) return null
  const { messages, tokens, wouldMessages, wouldTokens, tail } = shadow
  const saved = tokens - wouldTokens
  const [first] = calls
  const ours = runs.filter(({ fate }) => fate !== 'omitted')
  return (
    <section className={styles.panel} aria-label="Shadow">
      <h2 className="heading medium">
        Passed as it came: <b>{amountOf(messages, 'message')}</b>,{' '}
        <b>{amountOf(tokens, 'token')}</b>
        {point.reported !== undefined && (
          <span className="muted"> · the model reported {count(point.reported)}</span>
        )}
      </h2>
      <p className="soft">
        {saved === 0
          ? 'The same would have been sent: all of it fits.'
          : `Would have been sent: ${amountOf(wouldMessages, 'message')}, ${amountOf(wouldTokens, 'token')}: `}
        {saved !== 0 && (
          <b>
            {count(Math.abs(saved))} {saved > 0 ? 'saved' : 'more'},{' '}
            {percent(Math.abs(saved) / tokens)}
            {moneyOf(saved, server?.price)}
          </b>
        )}
      </p>
      {saved !== 0 && (
        <>
          <div className={styles.lanes}>
            <Lane
              name="Passed as it came"
              at={at}
              runs={[{ first: 1, last: at, fate: 'kept' }]}
              tokens={tokens}
            />
            <Lane name="We would have sent" at={at} runs={ours} tokens={wouldTokens} />
            {tail && (
              <Lane
                name="The tail, same room"
                at={at}
                runs={tail.runs.map(run => ({ ...run, fate: 'kept' as const }))}
                tokens={tail.tokens}
              />
            )}
          </div>
          {tail && <TailWords tail={tail} used={first?.used} />}
        </>
      )}
    </section>
  )
}

interface LaneProps {
  readonly name: string
  /** The last message, at the right end. */
  readonly at: number
  readonly runs: readonly { readonly first: number; readonly last: number; readonly fate: Fate }[]
  readonly tokens: number
}

/** All messages from left to right, and what is sent of them. */
function Lane({ name, at, runs, tokens }: LaneProps) {
  const sent = runs.reduce((sum, { first, last }) => sum + last - first + 1, 0)
  const label = `${name}: ${count(sent)} of ${amountOf(at, 'message')}, ${amountOf(tokens, 'token')}`
  return (
    <div className={styles.lane} role="img" aria-label={label}>
      <span className="text-12 one-line">{name}</span>
      <svg viewBox={`0 0 ${at} 10`} preserveAspectRatio="none" aria-hidden="true">
        <rect x={0} y={6} width={at} height={4} fill="var(--omitted)" />
        {runs.map(({ first, last, fate }) => (
          <rect
            key={first}
            x={first - 1}
            y={fate === 'digested' || fate === 'cleared' ? 4 : 0}
            width={last - first + 1}
            height={fate === 'digested' || fate === 'cleared' ? 6 : 10}
            fill={`var(--${fate})`}
          />
        ))}
      </svg>
      <span className={`muted text-12 one-line ${styles.amount}`}>
        <b className="soft">{count(sent)}</b> messages
      </span>
      <span className={`muted text-12 one-line ${styles.amount}`}>
        <b className="soft">{count(tokens)}</b> tokens
      </span>
    </div>
  )
}

interface TailWordsProps {
  readonly tail: NonNullable<ShadowAccount['tail']>
  readonly used: ShadowCall['used']
}

/** Where the tail had something that would have been missing, and the message that the answer used. */
function TailWords({ tail: { more, less }, used }: TailWordsProps) {
  const rows = [
    { text: 'Whole in the tail, not in ours: ', runs: more },
    { text: 'Whole in ours, not in the tail: ', runs: less },
  ]
  return (
    <>
      {used && (
        <p className="text-12-18" data-verdict={verdictOf(used)}>
          The answer used <EntryLink seq={used.entry} />: ours{' '}
          <span className="inline gap-1 fated" data-fate={used.fate}>
            <FateGlyph fate={used.fate} />
            {nameOfFate(used.fate)}
          </span>
          , the tail {used.isTail ? 'whole' : 'without it'}.{' '}
          <b className={styles.verdict}>{verdicts[verdictOf(used)]}</b>
        </p>
      )}
      {rows.map(
        ({ text, runs }) =>
          runs.length > 0 && (
            <p key={text} className="muted text-12-18">
              {text}
              {runs.slice(0, mostRuns).map(({ first, last }, at) => (
                <span key={first}>
                  {at > 0 && ', '}
                  <EntryLink seq={first} />
                  {last > first && (
                    <>
                      {' to '}
                      <EntryLink seq={last} />
                    </>
                  )}
                </span>
              ))}
              {runs.length > mostRuns && ` and ${amountOf(runs.length - mostRuns, 'more place')}`}
            </p>
          ),
      )}
    </>
  )
}

const mostRuns = 6

type Verdict = keyof typeof verdicts

const verdictOf = ({ isOurs, isTail }: NonNullable<ShadowCall['used']>): Verdict =>
  isOurs ? (isTail ? 'both' : 'ours') : isTail ? 'tail' : 'neither'

const verdicts = {
  both: 'Both would have had it.',
  ours: 'We would have had it, the tail not.',
  tail: 'The tail would have had it whole, we not.',
  neither: 'Neither would have had it whole.',
}
