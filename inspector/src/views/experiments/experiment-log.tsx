import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { type ExperimentAnswer, experimentActor, stepsPerPage } from '../../api/experiment-queries.ts'
import { logQuery } from '../../api/queries.ts'
import { Button } from '../../parts/button.tsx'
import { amountOf } from '../../parts/format.ts'
import styles from './experiment-log.module.css'
import { logRows } from './log-rows.ts'
import { useActs } from './use-acts.ts'
import type { Warning } from './use-watched.ts'

export interface ExperimentLogProps {
  readonly shown: ExperimentAnswer
  readonly warnings: readonly Warning[]
}

const secondsOf = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })

/** Beyond the end of any thread: the log up to it is the whole log. */
const theEnd = 1_000_000_000

/** What happened, in the order in which it happened: the newest pages of steps first, earlier ones when they are asked for. */
export function ExperimentLog({ shown, warnings }: ExperimentLogProps) {
  const { id, steps, maxSteps } = shown
  const [pages, setPages] = useState(1)
  const open = Math.min(steps + 1, maxSteps)
  const first = Math.max(1, (Math.ceil(open / stepsPerPage) - pages) * stepsPerPage + 1)
  const acts = useActs(id, steps, [first, open])
  const { data } = useQuery(
    logQuery({ conversation: id, actor: experimentActor }, { at: theEnd, limit: 1000 }),
  )
  const rows = logRows({ acts, entries: data?.entries ?? [], warnings, first })
  return (
    <section className={`low scrolls line-above ${styles.log}`} aria-label="Log">
      {first > 1 && (
        <p className="padded">
          <Button onClick={() => setPages(pages + 1)}>
            Show earlier steps ({amountOf(first - 1, 'step')} more)
          </Button>
        </p>
      )}
      <table className={`table ${styles.table}`}>
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">Step</th>
            <th scope="col">Who</th>
            <th scope="col">What</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, time, step, who, what, more, kind, seq }) => (
            <tr key={key} data-kind={kind}>
              <td>{secondsOf.format(time)}</td>
              <td>{step}</td>
              <td className={styles.who}>{who}</td>
              <td className={styles.what}>
                {seq === undefined ? (
                  <span className={`clear bold ${styles.name}`}>{what}</span>
                ) : (
                  <Link
                    to="/c/$conversation/context"
                    params={{ conversation: id }}
                    search={{ actor: who, entry: seq }}
                    className={`clear bold ${styles.name}`}
                  >
                    {what}
                  </Link>
                )}{' '}
                {more}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
