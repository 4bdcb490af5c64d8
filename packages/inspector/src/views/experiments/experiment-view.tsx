import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useMemo } from 'react'
import type { ExperimentAnswer, ExperimentSummary, PlanJson } from '../../api/experiment-queries.ts'
import { experimentQuery, experimentsQuery, planQuery } from '../../api/experiment-queries.ts'
import { boardAt, useExperimentPlace } from '../../parts/address.ts'
import buttons from '../../parts/button.module.css'
import { CopyButton } from '../../parts/button.tsx'
import { ago } from '../../parts/format.ts'
import { JsonTree } from '../../parts/json-tree.tsx'
import { useKeys } from '../../parts/keys.ts'
import { EmptyState, QueryState } from '../../parts/query-state.tsx'
import { Sheet } from '../../parts/sheet.tsx'
import { StatusMark } from '../../parts/status-mark.tsx'
import { Tooltip } from '../../parts/tooltip.tsx'
import { isTight, useMedia } from '../../parts/use-media.ts'
import { ActPanel } from './act-panel.tsx'
import { Board } from './board.tsx'
import { cellStateOf, useActs } from './board-state.ts'
import { ExperimentHead, Goals, useMeasures } from './experiment-head.tsx'
import { ExperimentLog } from './experiment-log.tsx'
import { markOf, newestFirst, noteOf, stepsOf, wordOf } from './experiment-status.ts'
import styles from './experiment-view.module.css'
import { useWatched, type Watched } from './use-watched.ts'

/** One experiment beside the list of all: its board, below it the log, and over both its plan if it is wanted. */
export function ExperimentView() {
  const { experiment } = useExperimentPlace()
  const { data } = useQuery(experimentsQuery)
  const query = useQuery(experimentQuery(experiment))
  const watched = useWatched(experiment)
  return (
    <div className={`view ${styles.view}`}>
      <ExperimentList experiments={data?.experiments ?? []} />
      <QueryState query={query}>{shown => <Shown {...{ shown, ...watched }} />}</QueryState>
    </div>
  )
}

/** All experiments beside the one that is shown, the newest first. */
function ExperimentList({ experiments }: { readonly experiments: readonly ExperimentSummary[] }) {
  return (
    <nav className="low scrolls-down on-canvas line-right full-only" aria-label="Experiments">
      <div className={`row between ${styles.head}`}>
        <h2 className="small-heading">Experiments</h2>
        <Tooltip text="Start an experiment">
          <Link
            to="/e"
            search={{ start: 'plan' }}
            className="icon"
            aria-label="Start an experiment"
          >
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
                {stepsOf(one)} · {ago(one.updatedAt)} ·{' '}
                {one.status === 'RUNNING' ? one.name : noteOf(one)}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function Shown({ shown, activity, warnings }: Watched & { readonly shown: ExperimentAnswer }) {
  const { search, go } = useExperimentPlace()
  const { id, roles, steps, maxSteps, hasPlan, goals } = shown
  const isNarrow = useMedia(isTight)
  const plan = useQuery({ ...planQuery(id), enabled: hasPlan })
  const measures = useMeasures(plan.data, goals.length)
  const memories = useMemo(() => memoriesOf(plan.data), [plan.data])
  const open = Math.min(steps + 1, maxSteps)
  const newest = useActs(shown, open).get(open)
  const isBegun = (newest?.size ?? 0) > 0 || activity?.step === open
  const step = Math.min(search.step ?? (isBegun ? open : Math.max(1, steps)), open)
  const acts = useActs(shown, step)
  const lastActor = roles.findLast(one => acts.get(step)?.has(one)) ?? roles[0] ?? ''
  const following = activity && activity.step === step ? activity.role : lastActor
  const role = search.role !== undefined && roles.includes(search.role) ? search.role : following
  // On a narrow screen the panel covers the board: it opens only when a cell was chosen.
  const isPanelShown = !isNarrow || search.role !== undefined
  const showPlan = () => go({ plan: 'open' }, { push: true })
  useKeys('Plan', [{ keys: 'v', does: 'view the plan', run: showPlan }])
  return (
    <div className={`grid low ${styles.split}`} data-panel={isPanelShown}>
      <div className={`column slim low ${styles.board}`}>
        <ExperimentHead shown={shown} onPlan={showPlan} />
        <Goals {...{ shown, measures }} />
        <Board {...{ shown, measures, memories, activity }} selected={{ role, step }} />
        <ExperimentLog {...{ shown, warnings }} />
      </div>
      {isPanelShown && (
        <ActPanel
          key={`${role}\n${step}`}
          experiment={id}
          cell={{ role, step }}
          state={cellStateOf({ shown, acts, activity }, { role, step })}
          onClose={() => go({ role: undefined, step: undefined })}
        />
      )}
      {search.plan && (
        <Sheet title={`The plan of ${id}`} onClose={() => go({ plan: undefined })}>
          {hasPlan ? (
            <QueryState query={plan}>{json => <Plan {...{ id, json }} />}</QueryState>
          ) : (
            <EmptyState heading="h2" title="The plan of this experiment is code">
              Code is not stored: run it from its own file. A plan in JSON would be shown here and
              could be run again.
            </EmptyState>
          )}
        </Sheet>
      )}
    </div>
  )
}

function Plan({ id, json }: { readonly id: string; readonly json: PlanJson }) {
  return (
    <div className={`written ${styles.plan}`}>
      <p className="row wraps gap-3">
        <Link
          to="/e"
          search={{ start: 'plan', of: id }}
          className={buttons.button}
          data-kind="line"
        >
          Run this plan again
        </Link>
        <CopyButton text={JSON.stringify(json, null, 2)} label="Copy the JSON" />
      </p>
      <JsonTree value={json} />
    </div>
  )
}

/** What is told of each role beside its name: what it remembers, else its model. */
function memoriesOf(plan: PlanJson | undefined): ReadonlyMap<string, string> {
  return new Map(
    plan?.roles.map(({ name, model, cap, policy }) => {
      if (cap !== undefined) return [name, `last ${cap} messages`]
      if (typeof policy === 'string') return [name, policy]
      const [[kind, amount] = []] = Object.entries(policy ?? {})
      if (kind !== undefined) return [name, `${kind} ${String(amount)}`]
      return [name, model === name ? '' : model]
    }),
  )
}
