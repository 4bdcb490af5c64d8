import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import {
  type ExperimentAnswer,
  experimentQuery,
  experimentsQuery,
  type PlanJson,
  planQuery,
} from '../../api/experiment-queries.ts'
import { useExperimentPlace } from '../../parts/address.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { QueryState } from '../../parts/query-state.tsx'
import { isTight, useMedia } from '../../parts/use-media.ts'
import { ActPanel } from './act-panel.tsx'
import { Board } from './board.tsx'
import { cellStateOf } from './board-state.ts'
import { ExperimentHead } from './experiment-head.tsx'
import { ExperimentList } from './experiment-list.tsx'
import styles from './experiment-view.module.css'
import { Goals } from './goals.tsx'
import { LogView } from './log-view.tsx'
import { PlanView } from './plan-view.tsx'
import { ThreadsView } from './threads-view.tsx'
import { useActs } from './use-acts.ts'
import { useMeasures } from './use-measures.ts'
import { useWatched, type Watched } from './use-watched.ts'

/** One experiment: its board, threads, log or plan, beside the list of all. */
export function ExperimentView() {
  const { experiment, view } = useExperimentPlace()
  const { data } = useQuery(experimentsQuery)
  const query = useQuery(experimentQuery(experiment))
  const watched = useWatched(experiment)
  return (
    <div className={`view ${styles.view}`}>
      <ExperimentList experiments={data?.experiments ?? []} view={view} />
      <div className="column slim low">
        <QueryState query={query}>{shown => <Shown {...{ shown, watched }} />}</QueryState>
      </div>
    </div>
  )
}

interface ShownProps {
  readonly shown: ExperimentAnswer
  readonly watched: Watched
}

function Shown({ shown, watched }: ShownProps) {
  const { view } = useExperimentPlace()
  if (view === 'board') return <BoardView {...{ shown, watched }} />
  return (
    <>
      <ExperimentHead shown={shown} />
      {view === 'threads' && <ThreadsView shown={shown} />}
      {view === 'log' && <LogView shown={shown} warnings={watched.warnings} />}
      {view === 'plan' && <PlanView shown={shown} />}
      {!['threads', 'log', 'plan'].includes(view) && (
        <EmptyState heading="h2" title="There is no such view">
          An experiment has a board, threads, a log and a plan.
        </EmptyState>
      )}
    </>
  )
}

function BoardView({ shown, watched: { activity } }: ShownProps) {
  const { search, go } = useExperimentPlace()
  const { id, roles, steps, maxSteps, hasPlan, goals } = shown
  const isNarrow = useMedia(isTight)
  const { data: plan } = useQuery({ ...planQuery(id), enabled: hasPlan })
  const measures = useMeasures(plan, goals.length)
  const memories = useMemo(() => memoriesOf(plan), [plan])
  const open = Math.min(steps + 1, maxSteps)
  const newest = useActs(id, steps, [open, open]).get(open)
  const isBegun = (newest?.size ?? 0) > 0 || activity?.step === open
  const step = Math.min(search.step ?? (isBegun ? open : Math.max(1, steps)), open)
  const acts = useActs(id, steps, [step, step])
  const lastActor = roles.findLast(one => acts.get(step)?.has(one)) ?? roles[0] ?? ''
  const following = activity && activity.step === step ? activity.role : lastActor
  const role = search.role !== undefined && roles.includes(search.role) ? search.role : following
  // On a narrow screen the panel covers the board: it opens only when a cell was chosen.
  const isPanelShown = !isNarrow || search.role !== undefined
  return (
    <div className={`grid fill low ${styles.split}`} data-panel={isPanelShown}>
      <div className="column slim low">
        <ExperimentHead shown={shown} />
        <Goals {...{ shown, measures }} />
        <Board {...{ shown, measures, memories, activity }} selected={{ role, step }} />
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
