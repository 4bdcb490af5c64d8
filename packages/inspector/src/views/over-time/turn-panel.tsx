import { useQuery } from '@tanstack/react-query'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useMemo } from 'react'
import { outlineQuery } from '../../api/queries.ts'
import type { TimelinePoint } from '../../api/timeline.ts'
import { usePlace } from '../../parts/address.ts'
import { Button } from '../../parts/button.tsx'
import { cacheOf, cacheSource, sumCache, sumSource } from '../../parts/cache-share.ts'
import { colourOfPart, nameOfPart, partStack } from '../../parts/fates.ts'
import { amountOf, count, fullTime, percent } from '../../parts/format.ts'
import { Notice } from '../../parts/notice.tsx'
import { isNarrow, useMedia } from '../../parts/use-media.ts'
import { ViewLink } from '../../parts/view-link.tsx'
import styles from './turn-panel.module.css'
import {
  anewIn,
  type Course,
  callOf,
  fullest,
  ratioOf,
  type StepProps,
  sumUp,
} from './use-course.ts'

/** The figures of the turn under the pointer, else of the one that is chosen. On narrow screens they are unfolded on demand. */
export function TurnPanel({ course, choice }: StepProps) {
  const { search } = usePlace()
  const isSlim = useMedia(isNarrow)
  const index = choice.hover.use() ?? choice.selected
  const step = course.steps[index]
  if (!step) return <aside className={styles.panel} aria-label="One turn" />
  const { turn, time, points, cut, broken } = step
  const [first] = points
  const most = fullest(points)
  const sums = sumUp(points)
  const rows: readonly Figure[] = [
    ...(most ? figuresOf(most, points.length) : []),
    ...(points.length > 1
      ? [
          { name: `tokens in all ${points.length} calls`, value: sums.tokens, isSum: true },
          { name: `new tokens in all ${points.length}`, value: sumCache(points).anew },
        ]
      : []),
    {
      name: `new tokens with ${course.compared.name}${most?.cached === undefined ? '' : ', by our estimate'}`,
      value: anewIn(course.compared.sums, index),
    },
  ]
  return (
    <aside className={styles.panel} aria-label="One turn">
      <details key={String(isSlim)} open={!isSlim}>
        <summary className="row gap-2">
          <h2 className="heading">{headOf(course, index)}</h2>
          {most && (
            <span className="muted text-12 phone-only">
              {count(most.tokens)} {most.shadow ? 'would have been sent' : 'sent'},{' '}
              {percent(cacheOf(most).share)} cached
              {cut && ', cut'}
            </span>
          )}
        </summary>
        <p className="muted text-12">
          {fullTime(time)} ·{' '}
          {course.by === 'call' && first ? `up to #${first.at}` : amountOf(points.length, 'call')}
        </p>
        {cut && <CutNotice cut={cut} factor={first?.factor} />}
        {broken && (
          <Notice kind="danger">
            {broken.status === 'failed' ? 'A call failed' : `A call was ${broken.status}`}
            {broken.error !== undefined && `: ${broken.error}`}
          </Notice>
        )}
        <dl className={styles.figures}>
          {rows.map(({ name, value, colour, isSum }) => (
            <div key={name} className="flex between gap-2" data-sum={isSum}>
              <dt className="row gap-2 slim soft">
                <i data-colour={colour} />
                {name}
              </dt>
              <dd>{value === undefined ? '' : count(value)}</dd>
            </div>
          ))}
        </dl>
        {first && (
          <ViewLink
            view="context"
            className="link link-text"
            search={{ ...search, turn, call: course.by === 'call' ? callOf(first) : undefined }}
          >
            {turn === 0 ? 'Open in context' : `Open turn ${turn} in context`}
          </ViewLink>
        )}
        {course.cuts > 0 && <HowToRead course={course} />}
      </details>
      <span className={`phone-only ${styles.steps}`}>
        {ways.map(({ label, by, Icon, why }) => (
          <Button
            key={label}
            kind="icon"
            aria-label={label}
            why={course.steps[index + by] ? undefined : why}
            onClick={() => choice.pick(index + by)}
          >
            <Icon size={18} aria-hidden />
          </Button>
        ))}
      </span>
    </aside>
  )
}

/** `Turn 3`, or where each step is a call, and its turn has several, `Call 302 of turn 1`. */
function headOf({ by, steps }: Course, index: number): string {
  const { turn } = steps[index]!
  if (turn === 0) return 'Outside of turns'
  const first = steps.findIndex(step => step.turn === turn)
  const isOnly = steps.findLastIndex(step => step.turn === turn) === first
  return by === 'turn' || isOnly
    ? `Turn ${turn}`
    : `Call ${count(index - first + 1)} of turn ${turn}`
}

const ways = [
  { label: 'Turn before', by: -1, Icon: ChevronLeft, why: 'This is the first turn.' },
  { label: 'Turn after', by: 1, Icon: ChevronRight, why: 'This is the last turn.' },
]

function HowToRead({ course: { cuts, steps } }: { readonly course: Course }) {
  const between = useMemo(
    () => sumCache(steps.filter(({ cut }) => !cut).flatMap(({ points }) => points)),
    [steps],
  )
  return (
    <p className={`soft text-12-18 bright ${styles.how}`}>
      A dip in the green bars is the price of a cut: the prompt is read again from where it changed.{' '}
      <b>{amountOf(cuts, 'cut')}</b> so far; between them <b>{percent(between.share)}</b> was
      cached, {sumSource(between)}.
    </p>
  )
}

interface Figure {
  readonly name: string
  readonly value?: number | undefined
  readonly colour?: string
  readonly isSum?: boolean
}

/** What was sent in one call by part, how much of it was cached, and what the model counted. */
function figuresOf(point: TimelinePoint, calls: number): readonly Figure[] {
  const { parts, tokens, reported, over, call, shadow } = point
  const cache = cacheOf(point)
  const sent = shadow ? 'tokens would have been sent' : 'tokens sent'
  const ratio = ratioOf([point])
  const missing = call === undefined ? 'no call is stored' : 'the model reported no count'
  return [
    ...partStack
      .filter(part => (parts[part] ?? 0) > 0)
      .map(part => ({ name: nameOfPart(part), value: parts[part]!, colour: colourOfPart[part] }))
      .reverse(),
    { name: calls > 1 ? `${sent} in the fullest call` : sent, value: tokens, isSum: true },
    ...(shadow ? [{ name: 'tokens passed as they came', value: shadow.tokens }] : []),
    ...(over > 0 ? [{ name: 'over the window', value: over, colour: 'danger' }] : []),
    {
      name: `${cacheSource(cache.isReported)}, ${percent(cache.share)}`,
      value: cache.tokens,
      colour: 'reused',
    },
    { name: 'new tokens', value: cache.anew },
    { name: reported === undefined ? missing : 'the model counted', value: reported },
    ...(ratio === undefined ? [] : [{ name: `our estimate: ${difference(ratio)}` }]),
  ]
}

const difference = (ratio: number) =>
  Math.abs(ratio - 1) < 0.005
    ? 'the same'
    : `${percent(Math.abs(ratio - 1))} ${ratio > 1 ? 'high' : 'low'}`

type Cut = NonNullable<Course['steps'][number]['cut']>

function CutNotice({
  cut,
  factor = 1,
}: {
  readonly cut: Cut
  readonly factor: number | undefined
}) {
  const { thread } = usePlace()
  const { data: outline = [] } = useQuery(outlineQuery(thread))
  const left = outline.slice(cut.from - 1, cut.to - 1)
  const many = cut.to - cut.from
  const tokens = Math.round(left.reduce((sum, { tokens = 0 }) => sum + tokens, 0) * factor)
  if (many <= 0) return <Notice>History starts at #{count(cut.to)} again.</Notice>
  return (
    <Notice>
      History starts at #{count(cut.to)} instead of #{count(cut.from)}: {amountOf(many, 'message')}
      {left.length < many ? '' : `, ${amountOf(tokens, 'token')},`} left the window.
    </Notice>
  )
}
