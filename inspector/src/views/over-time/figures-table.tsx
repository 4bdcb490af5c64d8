import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { usePlace } from '../../parts/address.ts'
import { Button } from '../../parts/button.tsx'
import { count, fullTime, percent } from '../../parts/format.ts'
import { type AxisStep, anewIn, type Course, ratioOf, sumUp } from './course.ts'
import styles from './figures-table.module.css'

const perPage = 200

/** The figures of all plots as a table: the newest first, page by page. */
export function FiguresTable({ course }: { readonly course: Course }) {
  const { steps, by, compared } = course
  const [page, setPage] = useState(0)
  const pages = Math.max(1, Math.ceil(steps.length / perPage))
  const at = Math.min(page, pages - 1)
  const last = steps.length - at * perPage
  const shown = steps.slice(Math.max(0, last - perPage), last).reverse()
  return (
    <section className={`low scrolls ${styles.scroller}`} aria-label="All figures">
      <table className={`text-12 one-line ${styles.table}`}>
        <caption>
          {by === 'turn' ? 'What was sent and read in each turn' : 'What was sent and read in each call'}, in
          tokens, newest first
        </caption>
        <thead>
          <tr>
            <th scope="col">Turn</th>
            {columns.map(({ name }) => (
              <th key={name} scope="col">
                {name === 'With' ? `With ${compared.name}` : name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((step, index) => (
            <StepRow
              key={`${step.turn} ${step.points[0]?.call ?? step.points[0]?.at ?? ''}`}
              step={step}
              compared={anewIn(compared, last - 1 - index)}
            />
          ))}
        </tbody>
      </table>
      {pages > 1 && (
        <p className={`row gap-3 soft text-12 ${styles.pages}`}>
          <Button onClick={() => setPage(at - 1)} why={at === 0 ? 'These are the newest.' : undefined}>
            Newer
          </Button>
          <span>
            {count(at * perPage + 1)} to {count(at * perPage + shown.length)} of {count(steps.length)}
          </span>
          <Button
            onClick={() => setPage(at + 1)}
            why={at === pages - 1 ? 'These are the oldest.' : undefined}
          >
            Older
          </Button>
        </p>
      )}
    </section>
  )
}

/** The figures of a step in the columns. `compared`: what the compared policy would have read, if known. */
const figuresOf = (step: AxisStep, compared: number | undefined) => ({
  ...{ step, compared, sums: sumUp(step.points), ratio: ratioOf(step.points) },
  reported: step.points.reduce((sum, { reported = 0 }) => sum + reported, 0),
})

const columns: readonly {
  readonly name: string
  readonly isText?: boolean
  readonly show: (figures: ReturnType<typeof figuresOf>) => string | number
}[] = [
  { name: 'Time', isText: true, show: ({ step }) => fullTime(step.time) },
  { name: 'Calls', show: ({ sums }) => sums.calls },
  { name: 'Sent', show: ({ sums }) => count(sums.tokens) },
  { name: 'Reused', show: ({ sums }) => count(sums.reused) },
  { name: 'Share', show: ({ sums }) => (sums.tokens === 0 ? '' : percent(sums.share)) },
  { name: 'Read anew', show: ({ sums }) => count(sums.anew) },
  { name: 'With', show: ({ compared }) => (compared === undefined ? '…' : count(compared)) },
  { name: 'Reported', show: ({ reported }) => (reported === 0 ? 'none' : count(reported)) },
  {
    name: 'Our count',
    show: ({ ratio }) =>
      ratio === undefined ? '' : `${ratio >= 1 ? '+' : '−'}${percent(Math.abs(ratio - 1))}`,
  },
  { name: 'What happened', isText: true, show: ({ step }) => eventsOf(step) },
]

function eventsOf({ cut, broken }: AxisStep): string {
  const events = [
    cut && `cut before #${count(cut.to)}`,
    broken && `${broken.status}${broken.error === undefined ? '' : `: ${broken.error}`}`,
  ]
  return events.filter(Boolean).join('; ')
}

function StepRow({ step, compared }: { readonly step: AxisStep; readonly compared: number | undefined }) {
  const { conversation, search } = usePlace()
  const { turn } = step
  const figures = figuresOf(step, compared)
  return (
    <tr>
      <th scope="row">
        <Link
          to="/c/$conversation/context"
          params={{ conversation }}
          search={{ ...search, as: undefined, turn }}
        >
          {turn}
        </Link>
      </th>
      {columns.map(({ name, isText, show }) => (
        <td key={name} className={isText ? styles.text : undefined}>
          {show(figures)}
        </td>
      ))}
    </tr>
  )
}
