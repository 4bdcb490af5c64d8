import { useQuery } from '@tanstack/react-query'
import { type WhyAnswer, whyQuery } from '../../api/queries.ts'
import { fateAt, runAt } from '../../parts/fates.ts'
import { amountOf, count } from '../../parts/format.ts'
import { Marked, type Places } from '../../parts/marked.tsx'
import { keptFree } from '../../parts/token-words.ts'
import { useScene } from './scene.ts'
import styles from './why-section.module.css'

/** Why an entry has its fate: who asked for it and with which words, what took its room, or when it leaves. */
export function Why({ seq }: { readonly seq: number }) {
  const { place, runs, moment, shownPoint } = useScene()
  const { data: why } = useQuery(whyQuery(place.thread, seq, shownPoint))
  if (why) return <WhySection why={why} />
  if (fateAt(runs, seq) === undefined) return null
  return (
    <section>
      <h3>Why</h3>
      <p className="muted">{runAt(moment.stretches, seq)?.why ?? 'Being read …'}</p>
    </section>
  )
}

interface WhyProps {
  readonly why: WhyAnswer
}

function WhySection({ why }: WhyProps) {
  const { recall, stored, fate, unit, leaving, isProtected, text } = why
  const asking = recall?.asking
  return (
    <section className={styles.why}>
      <h3>Why</h3>
      <p className={styles.reason}>
        {recall && fate !== 'digested' ? (
          <RecallReason why={why} />
        ) : (
          sentence(stored?.why ?? why.why)
        )}
      </p>
      {asking && asking.hits.length > 0 && (
        <blockquote className="soft text-12 breaks space-above-6px">
          <Marked {...excerpt(asking.text, asking.hits)} />
        </blockquote>
      )}
      {fate === 'digested' && text !== undefined && (
        <blockquote className="soft text-12 breaks space-above-6px">
          {text.slice(0, 300)}
        </blockquote>
      )}
      <Room why={why} />
      {unit.first !== unit.last && (
        <p className="muted text-12-18 space-above-6px">
          Sent or left out together with{' '}
          {unit.last - unit.first === 1
            ? `#${why.seq === unit.first ? unit.last : unit.first}`
            : `#${unit.first} to #${unit.last}`}
          , {amountOf(unit.tokens, 'token')} in all
        </p>
      )}
      {leaving && !isProtected && (
        <p className="muted text-12-18 space-above-6px">
          Drops out in about {amountOf(leaving.turns, 'turn')}
        </p>
      )}
    </section>
  )
}

type Recall = NonNullable<WhyAnswer['recall']>

function RecallReason({ why }: WhyProps) {
  const { asking, outcome, near } = why.recall!
  const words = asking ? wordsAt(asking.text, asking.hits) : []
  const asker = asking && <EntryLink seq={asking.seq} />
  switch (outcome) {
    case 'recalled':
      return (
        <>
          {asker} asks for {near === undefined ? 'it' : 'its neighbour '}
          {near !== undefined && <EntryLink seq={near} />}
          {words.length > 0 && ': '}
          <Words words={words} />
        </>
      )
    case 'no_room':
      return (
        <>
          {asker} asks for it, but there was no room left: <Words words={words} />
        </>
      )
    case 'made_room':
      return 'It was brought back once, until newer blocks needed the room.'
    case 'weak_match':
      return <>Other messages match {asker} better.</>
    case 'not_asked':
      return (
        <>
          Nothing was brought back: {asker ?? 'the newest message'} names too little of what was
          said before.
        </>
      )
    default:
      return sentence(why.why)
  }
}

const mostWords = 8

const Words = ({ words }: { readonly words: readonly string[] }) => (
  <>
    {words.slice(0, mostWords).map(word => (
      <span key={word}>
        <mark>{word}</mark>{' '}
      </span>
    ))}
    {words.length > mostWords && <span className="light muted">and more</span>}
  </>
)

/** The number of an entry. Pressing it selects the entry. */
export function EntryLink({ seq }: { readonly seq: number }) {
  const { select } = useScene()
  return (
    <button type="button" className="accent bold" onClick={() => select(seq)}>
      #{seq}
    </button>
  )
}

/** What the entry needed and what was available: tokens, or likeness to the question; and where history starts. */
function Room({ why }: WhyProps) {
  const { entries } = useScene()
  const { recall, cut, fate, free } = why
  const figures = recall && figuresOf(recall)
  const turn = entries[(cut?.at ?? 0) - 1]?.turn ?? 0
  const isByCut = cut && fate !== 'kept' && fate !== 'altered' && fate !== 'cleared'
  return (
    <>
      {figures && <p className="muted text-12-18 space-above-6px">{figures}</p>}
      {isByCut && (
        <p className="muted text-12-18 space-above-6px">
          History starts at #{cut.before}
          {fate === 'omitted'
            ? ` since ${turn === 0 ? `#${cut.at}` : `turn ${turn}`}, ${needOf(cut)}${free > 0 ? `; ${keptFree(free, cut)}` : ''}`
            : cut.recall > 0 &&
              `; ${amountOf(cut.recall, 'token')} are kept for what is brought back`}
        </p>
      )}
    </>
  )
}

const needOf = ({ needed, limit }: NonNullable<WhyAnswer['cut']>) =>
  needed > limit
    ? `when ${count(needed)} tokens were to be sent with room for ${count(limit)}`
    : 'which needed more than was free'

function figuresOf({ outcome, needs = 0, left = 0, better, score, least, best, strength }: Recall) {
  if (outcome === 'no_room') {
    const others =
      better && better.units > 0 && amountOf(better.units, 'better match', 'better matches')
    const taken = others ? `; ${others} took ${count(better.tokens)}` : ''
    return `Needed ${amountOf(needs, 'token')}, ${count(left)} were left${taken}`
  }
  if (outcome === 'weak_match' && score !== undefined && least !== undefined)
    return `Match ${count(score)}; needs ${count(least)}${best === undefined ? '' : `; the best has ${count(best)}`}`
  if (outcome === 'not_asked' && strength !== undefined)
    return `Match ${strength.toFixed(2)}; needs 1.0`
  return undefined
}

function wordsAt(text: string, hits: Places): readonly string[] {
  const words = new Map(
    hits.map(([from, to]) => [text.slice(from, to).toLowerCase(), text.slice(from, to)]),
  )
  return [...words.values()]
}

/** The part of a text around its first hit, with the hits in it. */
function excerpt(text: string, hits: Places) {
  const first = hits[0]?.[0] ?? 0
  const from = first < 60 ? 0 : text.lastIndexOf(' ', first - 30) + 1
  const end = Math.min(text.length, from + 200)
  const before = from > 0 ? '… ' : ''
  const shift = before.length - from
  return {
    text: `${before}${text.slice(from, end)}${end < text.length ? '…' : ''}`,
    places: hits
      .filter(([a, b]) => a >= from && b <= end)
      .map(([a, b]) => [a + shift, b + shift] as const),
  }
}

const sentence = (text: string) => (text === '' ? '' : `${text[0]!.toUpperCase()}${text.slice(1)}.`)
