import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { AnswerOf } from '../../api/client.ts'
import { callsQuery, outlineQuery, serverQuery } from '../../api/queries.ts'
import type { TimelinePoint } from '../../api/timeline.ts'
import { threadSearch, usePlace } from '../../parts/address.ts'
import { cacheOf, cacheSource } from '../../parts/cache-share.ts'
import { Explained } from '../../parts/explained.tsx'
import { amountOf, count, dayTime, percent } from '../../parts/format.ts'
import { type MarkName, StatusMark } from '../../parts/status-mark.tsx'
import { isBroken } from '../../parts/stops.ts'
import { costOf } from '../../parts/token-words.ts'
import { usePages } from '../../parts/use-pages.tsx'
import { ViewLink } from '../../parts/view-link.tsx'
import { callDurations, shownDuration } from './call-durations.ts'
import styles from './calls-table.module.css'
import { type Course, callOf, ratioOf, type StepProps } from './use-course.ts'

type ReadAhead = NonNullable<AnswerOf<'get /conversations/:conversation/calls'>['readAhead']>

const perPage = 100

/** The figures of every call, newest first, failed and cancelled ones included. A row leads to the context of its call. */
export function CallsTable({ course, choice }: StepProps) {
  const chosen = course.steps[choice.selected]
  const { thread, search } = usePlace()
  const points = useMemo(() => course.steps.flatMap(step => step.points).reverse(), [course.steps])
  const { data: calls } = useQuery(callsQuery(thread))
  const { data: outline } = useQuery(outlineQuery(thread))
  const { data: server } = useQuery(serverQuery)
  const price = server?.price
  const stored = useMemo(() => new Map(calls?.calls.map(one => [one.id, one])), [calls])
  const durations = useMemo(() => callDurations(points, outline ?? []), [points, outline])
  const { shown, pager } = usePages(points, perPage)
  const failed = points.filter(isBroken).length
  const costColumn: readonly Column[] = price
    ? [
        {
          name: 'Cost',
          title: 'of the prompt, at the price that is set',
          isFor: 'full',
          show: ({ reported, tokens, shadow }) =>
            costOf(reported ?? shadow?.tokens ?? tokens, price),
        },
      ]
    : []
  const columns: readonly Column[] = [
    {
      name: 'Turn',
      show: point => (
        <ViewLink
          view="context"
          className={`accent medium ${styles.link}`}
          search={{ ...threadSearch(search), turn: point.turn, call: callOf(point) }}
        >
          {turnWords(point, points)}
        </ViewLink>
      ),
    },
    {
      name: 'What happened',
      show: point => <Status {...{ point, course }} tools={outline?.[point.at]?.calls} />,
    },
    {
      name: 'Model',
      isFor: 'wide',
      show: ({ model }) => <span title={model}>{model ?? '–'}</span>,
    },
    { name: 'Sent', title: 'tokens', show: ({ tokens }) => count(tokens) },
    {
      name: 'Cached',
      title: 'as the model reported, else our estimate',
      isFor: 'wide',
      show: point => <Cached point={point} lost={stored.get(point.call ?? '')?.cacheLost} />,
    },
    { name: 'New', title: 'new tokens', show: point => count(cacheOf(point).anew) },
    {
      name: `With ${course.compared.name}`,
      isFor: 'full',
      show: point => unlessMissing(course.compared.anewOf(point), count, '…'),
    },
    { name: 'Model counted', isFor: 'wide', show: point => <Reported point={point} /> },
    ...costColumn,
    {
      name: 'Took',
      isFor: 'full',
      show: ({ call = '' }) => unlessMissing(durations.get(call), shownDuration),
    },
    { name: 'Time', isFor: 'wide', show: ({ time }) => dayTime(time) },
  ]
  return (
    <section className={styles.calls} aria-label="All calls">
      <h2 className="subheading">
        {amountOf(points.length, 'model call')}
        {failed > 0 && `, ${count(failed)} not completed`}{' '}
        {calls?.readAhead && <span className="muted medium">{aheadText(calls.readAhead)}</span>}
      </h2>
      <table className={`table one-line ${styles.table}`}>
        <thead>
          <tr>
            {columns.map(({ name, title, isFor }) => (
              <th key={name} scope="col" data-for={isFor}>
                {name}
                {title && <span className="hidden">: {title}</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map(point => (
            <tr
              key={`${point.turn} ${callOf(point)}`}
              data-chosen={chosen?.points.includes(point)}
              data-broken={isBroken(point)}
            >
              {columns.map(({ name, show, isFor }) => (
                <td key={name} data-for={isFor}>
                  {show(point)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {pager}
    </section>
  )
}

interface Column {
  readonly name: string
  readonly title?: string
  /** The screens that have room for it; default all. */
  readonly isFor?: 'wide' | 'full'
  readonly show: (point: TimelinePoint) => React.ReactNode
}

const unlessMissing = (
  value: number | undefined,
  write: (value: number) => string,
  missing = '–',
) => (value === undefined ? missing : write(value))

const marks: Readonly<Record<NonNullable<TimelinePoint['status']>, MarkName>> = {
  sent: 'running',
  completed: 'done',
  failed: 'failed',
  cancelled: 'stopped',
  interrupted: 'interrupted',
}

/** `3`, and of a turn of several calls `3, call 2 of 5`. `points`: all of them, the newest first. */
function turnWords(point: TimelinePoint, points: readonly TimelinePoint[]): string {
  const calls = points.filter(({ turn }) => turn === point.turn)
  const place = calls.length - calls.indexOf(point)
  return calls.length > 1
    ? `${point.turn}, call ${count(place)} of ${count(calls.length)}`
    : `${point.turn}`
}

interface StatusProps {
  readonly point: TimelinePoint
  readonly course: Course
  /** The tools that its reply called. */
  readonly tools: readonly string[] | undefined
}

function Status({ point, course, tools = [] }: StatusProps) {
  const { status, error } = point
  const cut = course.steps.find(one => one.cut && one.points[0] === point)?.cut
  return (
    <span className="inline gap-6px">
      {status && (
        <span className="grid" aria-hidden="true">
          <StatusMark status={marks[status]} />
        </span>
      )}
      {status ?? 'made now'}
      {error !== undefined && `: ${error}`}
      {tools.length > 0 && <span className={`cut ${styles.tools}`}>called {tools.join(', ')}</span>}
      {cut && <span className="muted">cut before #{count(cut.to)}</span>}
    </span>
  )
}

/** What was not read again, whose figure that is, and why it was far less than before. */
function Cached({
  point,
  lost,
}: {
  readonly point: TimelinePoint
  readonly lost: string | undefined
}) {
  const { tokens, share, isReported } = cacheOf(point)
  const words = [cacheSource(isReported), lost && `read again: ${lost}`].filter(Boolean).join('; ')
  return (
    <Explained by={words} className={lost && styles.lost}>
      {`${isReported ? '' : '≈ '}${count(tokens)} · ${percent(share)}`}
    </Explained>
  )
}

/** What the model counted, and how far our estimate was from it. */
function Reported({ point }: { readonly point: TimelinePoint }) {
  const ratio = ratioOf([point])
  if (ratio === undefined) return '–'
  const difference = `${ratio >= 1 ? '+' : '−'}${percent(Math.abs(ratio - 1))}`
  return <Explained by={`Our estimate: ${difference}`}>{count(point.reported!)}</Explained>
}

/** How the next prompt was last read ahead. */
function aheadText({ outcome, tokens, time }: ReadAhead): string {
  if (outcome === 'read') return `Read ahead at ${dayTime(time)}: ${amountOf(tokens, 'token')}`
  return `Reading ahead ${outcome === 'failed' ? 'failed' : 'was cut short'} at ${dayTime(time)}`
}
