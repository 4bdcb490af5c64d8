import { Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { groupBy } from '../../../../src/log/group-by.ts'
import type { ExperimentSummary } from '../../api/experiment-queries.ts'
import { ago } from '../../parts/format.ts'
import { StatusMark } from '../../parts/status-mark.tsx'
import { Tooltip } from '../../parts/tooltip.tsx'
import { boardAt } from '../../parts/view-at.ts'
import styles from './experiment-list.module.css'
import { markOf, noteOf, stepsOf, wordOf } from './experiment-status.ts'

/** All experiments beside the one that is shown, the newest first. */
export function ExperimentList({ experiments }: { readonly experiments: readonly ExperimentSummary[] }) {
  return (
    <nav className="low scrolls-down on-canvas line-right full-only" aria-label="Experiments">
      <div className={`row between ${styles.head}`}>
        <h2 className="small-heading">Experiments</h2>
        <Tooltip text="Start an experiment">
          <Link to="/e" search={{ start: 'plan' }} className="icon" aria-label="Start an experiment">
            <Plus size={16} aria-hidden />
          </Link>
        </Tooltip>
      </div>
      <ul>
        {newestFirst(experiments).map(one => (
          <li key={one.id}>
            <Link
              {...boardAt(one.id)}
              className={`inset grid middle hovers ${styles.item}`}
              title={`${one.id}: ${noteOf(one)}`}
              activeOptions={{ includeSearch: false }}
            >
              <StatusMark status={markOf[one.status]} label={`${wordOf(one.status)}:`} />
              <span className="cut subheading">{one.id}</span>
              <span className={`cut muted text-11 ${styles.note}`}>
                {stepsOf(one)} · {ago(one.updatedAt)} · {one.status === 'RUNNING' ? one.name : noteOf(one)}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

const newestFirst = (experiments: readonly ExperimentSummary[]): readonly ExperimentSummary[] =>
  experiments.toSorted((a, b) => b.startedAt - a.startedAt)

/** Experiments by the name of their plan, the newest first. */
export const byPlan = (experiments: readonly ExperimentSummary[]) => [
  ...groupBy(newestFirst(experiments), ({ name }) => name),
]
