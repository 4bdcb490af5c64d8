import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleX, type LucideIcon, Scissors } from 'lucide-react'
import { useMemo } from 'react'
import { outlineQuery } from '../../api/queries.ts'
import type { TimelinePoint } from '../../api/timeline.ts'
import { usePlace } from '../../parts/address.ts'
import { colourOfPart, nameOfPart, type Part, partStack } from '../../parts/fates.ts'
import { amountOf, count, fullTime, percent } from '../../parts/format.ts'
import {
  type AxisStep,
  anewIn,
  type Course,
  callOf,
  fullest,
  type MovedCut,
  ratioOf,
  sumUp,
} from './course.ts'
import how from './how-to-read.module.css'
import styles from './turn-panel.module.css'

export interface TurnPanelProps {
  readonly course: Course
  readonly step: AxisStep
  readonly index: number
}

/** The figures of one turn, and what the dips mean. */
export function TurnPanel({ course, step, index }: TurnPanelProps) {
  const { conversation, search } = usePlace()
  const { by, compared } = course
  const anew = anewIn(compared, index)
  const { turn, time, points } = step
  const [first] = points
  const most = fullest(points)
  const sums = sumUp(points)
  return (
    <>
      <h2 className="heading">{turn === 0 ? 'Outside of turns' : `Turn ${turn}`}</h2>
      <p className={`muted text-12 ${styles.time}`}>
        {fullTime(time)} · {by === 'call' && first ? `up to #${first.at}` : amountOf(points.length, 'call')}
      </p>
      {step.cut && <CutNotice cut={step.cut} factor={first?.factor} />}
      {step.broken && <BrokenNotice point={step.broken} />}
      {most && <Figures point={most} isOneOfMany={points.length > 1} />}
      {points.length > 1 && (
        <dl className={styles.figures}>
          <Row name={`tokens in all ${points.length} calls`} value={sums.tokens} isSum />
          <Row name="read anew" value={sums.anew} />
        </dl>
      )}
      {anew !== undefined && (
        <dl className={styles.figures}>
          <Row name={`read anew with ${compared.name}`} value={anew} />
        </dl>
      )}
      {first && (
        <Link
          className={`link link-text ${styles.link}`}
          to="/c/$conversation/context"
          params={{ conversation }}
          search={{ ...search, turn, call: by === 'call' ? callOf(first) : undefined }}
        >
          {turn === 0 ? 'Open in context' : `Open turn ${turn} in context`}
        </Link>
      )}
      {course.cuts > 0 && <HowToRead course={course} />}
    </>
  )
}

/** What the dips mean. */
function HowToRead({ course: { cuts, steps } }: { readonly course: Course }) {
  const between = useMemo(
    () => sumUp(steps.filter(({ cut }) => !cut).flatMap(({ points }) => points)),
    [steps],
  )
  return (
    <section className={`soft text-12-18 ${how.how}`}>
      <h3>How to read it</h3>
      <p>
        A dip in the green bars is the price of a cut: the prompt is read again from where it changed.{' '}
        <b className="clear">{amountOf(cuts, 'cut')}</b> so far; between them{' '}
        <b className="clear">{percent(between.share)}</b> is reused.
      </p>
    </section>
  )
}

/** Parts without entries are shown as one line. */
const small: readonly Part[] = ['marker', 'framing', 'tools']

function Figures({ point, isOneOfMany }: { readonly point: TimelinePoint; readonly isOneOfMany: boolean }) {
  const { parts, tokens, reused, anew, reported, over } = point
  const ratio = ratioOf([point])
  const largeParts = partStack.filter(part => (parts[part] ?? 0) > 0 && !small.includes(part)).reverse()
  const rest = small.reduce((sum, part) => sum + (parts[part] ?? 0), 0)
  const restName = small.filter(part => (parts[part] ?? 0) > 0).join(', ')
  return (
    <dl className={styles.figures}>
      {largeParts.map(part => (
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
      <Row name={`reused, ${percent(sumUp([point]).share)}`} value={reused} colour="reused" />
      <Row name="read anew" value={anew} />
      <Row name={reportedName(point)} value={reported} />
      {ratio !== undefined && <Row name={`our estimate: ${difference(ratio)}`} />}
    </dl>
  )
}

function reportedName({ call, reported }: TimelinePoint): string {
  if (reported !== undefined) return 'the model counted'
  return call === undefined ? 'no call is stored' : 'the model reported no count'
}

const difference = (ratio: number) =>
  Math.abs(ratio - 1) < 0.005 ? 'the same' : `${percent(Math.abs(ratio - 1))} ${ratio > 1 ? 'high' : 'low'}`

const nameInFull: Partial<Record<Part, string>> = {
  system: 'system prompt',
  changing: 'changing lines of it',
  first: 'first message',
}

interface RowProps {
  readonly name: string
  readonly value?: number | undefined
  readonly colour?: string
  readonly isSum?: boolean
}

const Row = ({ name, value, colour, isSum = false }: RowProps) => (
  <div className="flex between gap-2" data-sum={isSum}>
    <dt>
      <i data-colour={colour} />
      {name}
    </dt>
    <dd>{value === undefined ? '' : count(value)}</dd>
  </div>
)

function CutNotice({ cut, factor = 1 }: { readonly cut: MovedCut; readonly factor: number | undefined }) {
  const { thread } = usePlace()
  const { data: outline = [] } = useQuery(outlineQuery(thread))
  const left = outline.slice(cut.from - 1, cut.to - 1)
  const many = cut.to - cut.from
  const tokens = Math.round(left.reduce((sum, { tokens = 0 }) => sum + tokens, 0) * factor)
  return (
    <PanelNotice Icon={Scissors}>
      {many > 0 ? (
        <>
          The cut moved from #{count(cut.from)} to #{count(cut.to)}: {amountOf(many, 'message')}
          {left.length < many ? '' : `, ${amountOf(tokens, 'token')},`} left the window.
        </>
      ) : (
        <>The cut moved back to #{count(cut.to)}.</>
      )}
    </PanelNotice>
  )
}

const BrokenNotice = ({ point: { status, error } }: { readonly point: TimelinePoint }) => (
  <PanelNotice Icon={CircleX} kind="danger">
    {status === 'failed' ? 'A call failed' : `A call was ${status}`}
    {error === undefined ? '.' : `: ${error}`}
  </PanelNotice>
)

interface PanelNoticeProps {
  readonly Icon: LucideIcon
  readonly kind?: 'danger'
  readonly children: React.ReactNode
}

const PanelNotice = ({ Icon, kind, children }: PanelNoticeProps) => (
  <p className={`grid gap-2 text-12-18 breaks on-panel framed round-2 ${styles.notice}`} data-kind={kind}>
    <Icon size={14} aria-hidden />
    <span>{children}</span>
  </p>
)
