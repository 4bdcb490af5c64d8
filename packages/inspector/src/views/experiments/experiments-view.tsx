import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { FlaskConical, Plus } from 'lucide-react'
import { type ExperimentSummary, experimentsQuery } from '../../api/experiment-queries.ts'
import { boardAt, type ExperimentsSearch } from '../../parts/address.ts'
import { Button } from '../../parts/button.tsx'
import { Explained } from '../../parts/explained.tsx'
import { ago, amountOf } from '../../parts/format.ts'
import { Gauge } from '../../parts/gauge.tsx'
import { useKeys } from '../../parts/keys.ts'
import { EmptyState, QueryState } from '../../parts/query-state.tsx'
import { StatusMark } from '../../parts/status-mark.tsx'
import { useSampleExperiment } from '../../parts/use-open-started.ts'
import { byPlan, markOf, noteOf, stepsOf, wordOf } from './experiment-status.ts'
import styles from './experiments-view.module.css'
import { StartForm } from './start-form.tsx'

/** All plans and their experiments: which run, which are paused, how they ended. */
export function ExperimentsView() {
  const query = useQuery(experimentsQuery)
  const { start, of } = useSearch({ strict: false }) as ExperimentsSearch
  const navigate = useNavigate()
  const go = (search: ExperimentsSearch) => void navigate({ to: '/e', search, resetScroll: false })
  useKeys('Experiments', [
    { keys: 'n', does: 'start an experiment', run: () => go({ start: 'plan' }) },
  ])
  return (
    <QueryState query={query}>
      {({ experiments }) =>
        experiments.length === 0 && start === undefined ? (
          <None />
        ) : (
          <div className={`grid from-top ${styles.page}`}>
            <header className={`row between gap-4 ${styles.head}`}>
              <h1>{headingOf(experiments)}</h1>
              {start === undefined && (
                <Button kind="primary" onClick={() => go({ start: 'plan' })}>
                  <Plus size={14} aria-hidden /> New experiment
                </Button>
              )}
            </header>
            {start !== undefined && (
              <StartForm
                {...{ experiments, of }}
                onPick={next => go({ start: 'plan', of: next })}
                onClose={() => go({})}
              />
            )}
            {byPlan(experiments).map(([name, all]) => (
              <Plan key={name} {...{ name, all }} />
            ))}
          </div>
        )
      }
    </QueryState>
  )
}

/** `1 experiment runs, 2 are paused, 4 have ended` */
function headingOf(experiments: readonly ExperimentSummary[]): string {
  const amount = (...statuses: readonly ExperimentSummary['status'][]) =>
    experiments.filter(({ status }) => statuses.includes(status)).length
  const [running, left] = [amount('RUNNING'), amount('PAUSED', 'INTERRUPTED')]
  const ended = experiments.length - running - left
  const parts = [
    running > 0 && amountOf(running, 'runs', 'run'),
    left > 0 && amountOf(left, 'is paused', 'are paused'),
    ended > 0 && amountOf(ended, 'has ended', 'have ended'),
  ].filter(part => part !== false)
  const all = amountOf(experiments.length, 'experiment')
  if (parts.length === 1) return `${all} ${parts[0]!.replace(/^\S+ /, '')}`
  return parts.length === 0 ? 'No experiments yet' : `${all}: ${parts.join(', ')}`
}

function Plan({
  name,
  all,
}: {
  readonly name: string
  readonly all: readonly ExperimentSummary[]
}) {
  const stored = all.find(({ hasPlan }) => hasPlan)
  return (
    <section
      className={`slim clipped on-panel framed round-3 ${styles.plan}`}
      aria-label={`Plan ${name}`}
    >
      <header className="flex baseline gap-3 slim padded">
        <h2 className="cut subheading" title={name}>
          {name}
        </h2>
        <span className="rigid muted text-12">{amountOf(all.length, 'experiment')}</span>
        {stored ? (
          <Link
            to="/e"
            search={{ start: 'plan', of: stored.id }}
            className={`link ${styles.again}`}
          >
            Run again
          </Link>
        ) : (
          <Explained
            className={`muted ${styles.code}`}
            by="Its plan is code, which is not stored: run it from its file."
          >
            from code
          </Explained>
        )}
      </header>
      <ul>
        {all.map(one => (
          <li key={one.id}>
            <Link
              {...boardAt(one.id)}
              className={`inset grid middle gap-3 line-above hovers ${styles.row}`}
            >
              <StatusMark status={markOf[one.status]} label={`${wordOf(one.status)}:`} />
              <span className="cut bold">{one.id}</span>
              <span className={`cut soft ${styles.note}`} data-status={one.status}>
                {noteOf(one)}
              </span>
              <span className={`grid middle gap-2 muted text-12 ${styles.steps}`}>
                <Gauge value={one.steps} most={one.maxSteps} label={`Steps of ${one.id}`} />
                <span className="to-right one-line">{stepsOf(one)}</span>
              </span>
              <span className="muted text-12 to-right wide-only">{ago(one.updatedAt)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Where there is no experiment: what one is, and a sample that needs no model. */
function None() {
  const { mutate, isPending } = useSampleExperiment()
  return (
    <EmptyState
      icon={<FlaskConical size={24} aria-hidden />}
      title="No experiments yet"
      action={
        <div className={`row gap-4 ${styles.starts}`}>
          <Button
            kind="primary"
            why={isPending ? 'It is being started.' : undefined}
            onClick={() => mutate()}
          >
            Run the lemonade stand
          </Button>
          <Link to="/e" search={{ start: 'plan' }} className={`link ${styles.again}`}>
            Start from a plan
          </Link>
        </div>
      }
    >
      In an experiment several roles, each with its own model, tools and memory, act in turn on
      shared variables until a goal holds. The lemonade stand is a sample that needs no model.
    </EmptyState>
  )
}
