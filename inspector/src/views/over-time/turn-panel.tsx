import { Link } from '@tanstack/react-router'
import { CircleX, Scissors } from 'lucide-react'
import type { TimelinePoint } from '../../api/timeline.ts'
import type { ConversationSearch } from '../../parts/address.ts'
import { colourOfPart, nameOfPart, type Part, partStack } from '../../parts/fates.ts'
import { amountOf, count, fullTime, percent } from '../../parts/format.ts'
import { fullest, ratioOf, type Step, sumUp } from './figures.ts'
import styles from './turn-panel.module.css'

export interface TurnPanelProps {
  readonly conversation: string
  readonly search: ConversationSearch
  readonly step: Step
  readonly by: 'turn' | 'call'
  /** The tokens of the entries from one place to another, if they are known. */
  readonly tokensBetween: (first: number, last: number) => number | undefined
  /** What the other policy would have read in this step. */
  readonly compared: { readonly name: string; readonly anew: number } | undefined
}

/** The figures of one turn. */
export function TurnPanel({ conversation, search, step, by, tokensBetween, compared }: TurnPanelProps) {
  const { turn, time, points } = step
  const [first] = points
  const most = fullest(points)
  const sums = sumUp(points)
  const call = by === 'call' && first ? { call: first.call ?? String(first.at) } : { call: undefined }
  return (
    <>
      <h2 className="heading">{turn === 0 ? 'Outside of turns' : `Turn ${turn}`}</h2>
      <p className={`muted text-12 ${styles.time}`}>
        {fullTime(time)} · {by === 'call' && first ? `up to #${first.at}` : amountOf(points.length, 'call')}
      </p>
      <CutNotice step={step} tokensBetween={tokensBetween} />
      {step.broken && <BrokenNotice point={step.broken} />}
      {most && <Figures point={most} isOneOfMany={points.length > 1} />}
      {points.length > 1 && (
        <dl className={styles.figures}>
          <Row name={`tokens in all ${points.length} calls`} value={sums.tokens} isSum />
          <Row name="read anew" value={sums.anew} />
        </dl>
      )}
      {compared && (
        <dl className={styles.figures}>
          <Row name={`read anew with ${compared.name}`} value={compared.anew} />
        </dl>
      )}
      {first && (
        <Link
          className={`link link-text ${styles.link}`}
          to="/c/$conversation/context"
          params={{ conversation }}
          search={{ ...search, turn, ...call } as ConversationSearch}
        >
          {turn === 0 ? 'Open in context' : `Open turn ${turn} in context`}
        </Link>
      )}
    </>
  )
}

/** The parts that carry no entry are told together. */
const small: readonly Part[] = ['marker', 'framing', 'tools']

function Figures({ point, isOneOfMany }: { readonly point: TimelinePoint; readonly isOneOfMany: boolean }) {
  const { parts, tokens, reused, anew, reported, over } = point
  const ratio = ratioOf([point])
  const told = partStack.filter(part => (parts[part] ?? 0) > 0 && !small.includes(part)).reverse()
  const rest = small.reduce((sum, part) => sum + (parts[part] ?? 0), 0)
  const restName = small.filter(part => (parts[part] ?? 0) > 0).join(', ')
  return (
    <dl className={styles.figures}>
      {told.map(part => (
        <Row
          key={part}
          name={nameInFull[part] ?? nameOfPart(part)}
          value={parts[part]!}
          colour={colourOfPart[part]}
        />
      ))}
      {rest > 0 && <Row name={restName} value={rest} colour="meta" />}
      <Row name={isOneOfMany ? 'tokens sent in the fullest call' : 'tokens sent'} value={tokens} isSum />
      {over > 0 && <Row name="over the window" value={over} colour="danger" />}
      <Row name={`reused, ${percent(tokens === 0 ? 0 : reused / tokens)}`} value={reused} colour="reused" />
      <Row name="read anew" value={anew} />
      {reported === undefined ? (
        <Row name={point.call === undefined ? 'no call is stored' : 'the model reported no count'} />
      ) : (
        <Row name="the model counted" value={reported} />
      )}
      {ratio !== undefined && <Row name={`our estimate: ${difference(ratio)}`} />}
    </dl>
  )
}

const difference = (ratio: number) =>
  Math.abs(ratio - 1) < 0.005 ? 'the same' : `${percent(Math.abs(ratio - 1))} ${ratio > 1 ? 'high' : 'low'}`

const nameInFull: Partial<Record<Part, string>> = {
  system: 'system prompt',
  changing: 'changing lines of it',
  first: 'first message',
}

function Row({
  name,
  value,
  colour,
  isSum = false,
}: {
  readonly name: string
  readonly value?: number
  readonly colour?: string
  readonly isSum?: boolean
}) {
  return (
    <div className="flex between gap-2" data-sum={isSum}>
      <dt>
        <i data-colour={colour} />
        {name}
      </dt>
      <dd>{value === undefined ? '' : count(value)}</dd>
    </div>
  )
}

function CutNotice({ step: { cut }, tokensBetween }: Pick<TurnPanelProps, 'step' | 'tokensBetween'>) {
  if (!cut) return null
  const many = cut.to - cut.from
  const tokens = many > 0 ? tokensBetween(cut.from, cut.to - 1) : undefined
  return (
    <p className={`grid gap-2 text-12-18 breaks on-panel framed round-2 ${styles.notice}`}>
      <Scissors size={14} aria-hidden />
      <span>
        {many > 0 ? (
          <>
            The cut moved from #{count(cut.from)} to #{count(cut.to)}: {amountOf(many, 'message')}
            {tokens === undefined ? '' : `, ${amountOf(tokens, 'token')},`} left the window.
          </>
        ) : (
          <>The cut moved back to #{count(cut.to)}.</>
        )}
      </span>
    </p>
  )
}

function BrokenNotice({ point: { status, error } }: { readonly point: TimelinePoint }) {
  return (
    <p className={`grid gap-2 text-12-18 breaks on-panel framed round-2 ${styles.notice}`} data-kind="danger">
      <CircleX size={14} aria-hidden />
      <span>
        {status === 'failed' ? 'A call failed' : `A call was ${status}`}
        {error === undefined ? '.' : `: ${error}`}
      </span>
    </p>
  )
}
