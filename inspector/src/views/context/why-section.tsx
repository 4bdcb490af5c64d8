import type { WhyAnswer } from '../../api/queries.ts'
import { amountOf, count } from '../../parts/format.ts'
import { Marked } from '../../parts/marked.tsx'
import { keptFree } from '../../parts/why-free.ts'
import { excerpt, wordsAt } from './excerpt.ts'
import styles from './why-section.module.css'

export interface WhySectionProps {
  readonly why: WhyAnswer
  readonly onSelect: (seq: number) => void
}

/** Why an entry has its fate: who asked for it and with which words, what took its room, or when it leaves. */
export function WhySection({ why, onSelect }: WhySectionProps) {
  const { recall, stored, fate, unit, leaving, isProtected, text } = why
  const asking = recall?.asking
  return (
    <section className={styles.why}>
      <h3>Why</h3>
      <p className={styles.reason}>
        {recall && fate !== 'digested' ? (
          <Recall why={why} recall={recall} onSelect={onSelect} />
        ) : (
          sentence(stored?.why ?? why.why)
        )}
      </p>
      {asking && asking.hits.length > 0 && (
        <blockquote>
          <Marked {...excerpt(asking.text, asking.hits)} />
        </blockquote>
      )}
      {fate === 'digested' && text !== undefined && <blockquote>{text.slice(0, 300)}</blockquote>}
      <Room why={why} />
      {unit.first !== unit.last && (
        <p className={styles.more}>
          Sent or left out together with{' '}
          {unit.last - unit.first === 1
            ? `#${why.seq === unit.first ? unit.last : unit.first}`
            : `#${unit.first} to #${unit.last}`}
          , {amountOf(unit.tokens, 'token')} in all
        </p>
      )}
      {leaving && !isProtected && (
        <p className={styles.more}>
          Leaves after about {amountOf(leaving.turns, 'more turn')} like the last ones
        </p>
      )}
    </section>
  )
}

interface RecallProps extends WhySectionProps {
  readonly recall: NonNullable<WhyAnswer['recall']>
}

function Recall({ why, recall: { asking, outcome, near }, onSelect }: RecallProps) {
  const words = asking ? wordsAt(asking.text, asking.hits) : []
  const asker = asking && <EntryLink seq={asking.seq} onSelect={onSelect} />
  switch (outcome) {
    case 'recalled':
      return (
        <>
          {asker} asks for{' '}
          {near === undefined ? (
            'it'
          ) : (
            <>
              what stands beside it, in <EntryLink seq={near} onSelect={onSelect} />
            </>
          )}
          {words.length > 0 && ': '}
          <Words words={words} />
        </>
      )
    case 'no_room':
      return (
        <>
          {asker} asks for it, but there was no room: <Words words={words} />
        </>
      )
    case 'made_room':
      return 'It was brought back once, until newer blocks needed the room.'
    case 'weak_match':
      return <>Others fit better what {asker} asks for.</>
    case 'not_asked':
      return <>{asker ?? 'The newest message'} asks for nothing older.</>
    default:
      return sentence(why.why)
  }
}

function Words({ words }: { readonly words: readonly string[] }) {
  const most = 8
  return (
    <>
      {words.slice(0, most).map(word => (
        <span key={word}>
          <mark>{word}</mark>{' '}
        </span>
      ))}
      {words.length > most && <span className={styles.muted}>and more</span>}
    </>
  )
}

function EntryLink({ seq, onSelect }: { readonly seq: number; readonly onSelect: (seq: number) => void }) {
  return (
    <button type="button" className="accent bold" onClick={() => onSelect(seq)}>
      #{seq}
    </button>
  )
}

/** What the entry needed and what was available: tokens, or likeness to the question. */
function Room({ why: { recall, cut, fate, free } }: { readonly why: WhyAnswer }) {
  const { outcome, needs = 0, left = 0, room = 0, better, score, least, best } = recall ?? {}
  return (
    <>
      {outcome === 'no_room' && room > 0 && (
        <Meter
          label={`${amountOf(needs, 'token')} needed, ${count(left)} of ${count(room)} left`}
          more={better && `${amountOf(better.units, 'better one')} took ${count(better.tokens)}`}
          most={Math.max(room, room - left + needs)}
          value={room - left}
          extra={needs}
          limit={room}
        />
      )}
      {outcome === 'weak_match' && score !== undefined && least !== undefined && best !== undefined && (
        <Meter
          label={`Fits by ${count(score)}; recalled from ${count(least)} on`}
          more={`the best has ${count(best)}`}
          most={best}
          value={score}
          limit={least}
        />
      )}
      {outcome === 'not_asked' && recall?.strength !== undefined && (
        <Meter
          label={`Asks with a strength of ${recall.strength.toFixed(2)}; something is recalled from 1 on`}
          most={Math.max(2, recall.strength)}
          value={recall.strength}
          limit={1}
        />
      )}
      {cut && fate !== 'kept' && fate !== 'altered' && fate !== 'cleared' && (
        <p className={styles.more}>
          {fate === 'omitted' ? (
            <>
              Cut before #{cut.before}. It fell at #{cut.at},{' '}
              {cut.needed > cut.limit
                ? `when ${count(cut.needed)} tokens were to be sent with room for ${count(cut.limit)}`
                : 'which asks for more than was free'}
              ; {count(free)} are {keptFree(cut)}
            </>
          ) : (
            <>
              Cut before #{cut.before}; {amountOf(cut.recall, 'token')} kept for recall
            </>
          )}
        </p>
      )}
    </>
  )
}

interface MeterProps {
  readonly label: string
  readonly more?: string | undefined
  readonly most: number
  readonly value: number
  /** What would come on top. */
  readonly extra?: number
  readonly limit: number
}

function Meter({ label, more, most, value, extra = 0, limit }: MeterProps) {
  const share = (part: number) => `${Math.min(100, (100 * part) / most)}%`
  return (
    <div className={styles.meter}>
      <div className={`flex relative on-press ${styles.track}`} aria-hidden="true">
        <i style={{ width: share(value) }} />
        {extra > 0 && <i data-extra="true" style={{ width: share(extra) }} />}
        <b style={{ left: share(limit) }} />
      </div>
      <p>
        {label}
        {more && <span className="muted"> · {more}</span>}
      </p>
    </div>
  )
}

const sentence = (text: string) => (text === '' ? '' : `${text[0]!.toUpperCase()}${text.slice(1)}.`)
