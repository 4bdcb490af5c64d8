import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { ConversationSearch } from '../../parts/address.ts'
import { Button } from '../../parts/button.tsx'
import { count, fullTime, percent } from '../../parts/format.ts'
import { ratioOf, type Step, sumUp } from './figures.ts'
import styles from './figures-table.module.css'

export interface FiguresTableProps {
  readonly conversation: string
  readonly search: ConversationSearch
  readonly steps: readonly Step[]
  readonly by: 'turn' | 'call'
  readonly compared:
    | { readonly name: string; readonly anewOf: (index: number) => number | undefined }
    | undefined
}

const perPage = 200

/** The figures of all plots as a table: the newest first, page by page. */
export function FiguresTable({ conversation, search, steps, by, compared }: FiguresTableProps) {
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
            <th scope="col">Time</th>
            <th scope="col">Calls</th>
            <th scope="col">Sent</th>
            <th scope="col">Reused</th>
            <th scope="col">Share</th>
            <th scope="col">Read anew</th>
            {compared && <th scope="col">With {compared.name}</th>}
            <th scope="col">Reported</th>
            <th scope="col">Our count</th>
            <th scope="col">What happened</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((step, index) => (
            <StepRow
              key={`${step.turn} ${step.points[0]?.call ?? step.points[0]?.at ?? ''}`}
              step={step}
              link={{ conversation, search }}
              anew={compared && { value: compared.anewOf(last - 1 - index) }}
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

interface StepRowProps {
  readonly step: Step
  readonly link: Pick<FiguresTableProps, 'conversation' | 'search'>
  readonly anew: { readonly value: number | undefined } | undefined
}

function StepRow({ step, link: { conversation, search }, anew: compared }: StepRowProps) {
  const { turn, time, points, cut, broken } = step
  const sums = sumUp(points)
  const ratio = ratioOf(points)
  const reported = points.reduce((sum, point) => sum + (point.reported ?? 0), 0)
  const events = [
    cut && `cut before #${count(cut.to)}`,
    broken && `${broken.status}${broken.error === undefined ? '' : `: ${broken.error}`}`,
  ]
  const { as: _, ...rest } = search
  return (
    <tr>
      <th scope="row">
        <Link to="/c/$conversation/context" params={{ conversation }} search={{ ...rest, turn }}>
          {turn}
        </Link>
      </th>
      <td className={styles.text}>{fullTime(time)}</td>
      <td>{sums.calls}</td>
      <td>{count(sums.tokens)}</td>
      <td>{count(sums.reused)}</td>
      <td>{sums.tokens === 0 ? '' : percent(sums.reused / sums.tokens)}</td>
      <td>{count(sums.anew)}</td>
      {compared && <td>{compared.value === undefined ? '…' : count(compared.value)}</td>}
      <td>{reported === 0 ? 'none' : count(reported)}</td>
      <td>{ratio === undefined ? '' : `${ratio >= 1 ? '+' : '−'}${percent(Math.abs(ratio - 1))}`}</td>
      <td className={styles.text}>{events.filter(Boolean).join('; ')}</td>
    </tr>
  )
}
