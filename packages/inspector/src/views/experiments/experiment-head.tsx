import { useMutation, useQuery } from '@tanstack/react-query'
import { Pause, Play, RotateCcw, Square, StepForward } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { ask, queryClient } from '../../api/client.ts'
import { type ExperimentAnswer, hasEnded, type PlanJson } from '../../api/experiment-queries.ts'
import { inConversation, serverQuery } from '../../api/queries.ts'
import { Button } from '../../parts/button.tsx'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { Gauge } from '../../parts/gauge.tsx'
import { useKeys } from '../../parts/keys.ts'
import { Notice } from '../../parts/notice.tsx'
import { notify } from '../../parts/notify.ts'
import { StatusMark } from '../../parts/status-mark.tsx'
import { useOpenStarted } from '../../parts/use-open-started.ts'
import type { BoardProps } from './board-state.ts'
import styles from './experiment-head.module.css'
import { markOf, sentenceOf, wordOf } from './experiment-status.ts'
import type { GoalMeasure, GoalSides, Measures, Values } from './goal-measure.ts'
import { shownValue } from './series.ts'

type ControlWish = 'pause' | 'resume' | 'step' | 'stop'

/** The name of an experiment, how it stands, and what can be done about it. */
export function ExperimentHead(props: Pick<BoardProps, 'shown'> & { readonly onPlan: () => void }) {
  const { shown, onPlan } = props
  const { id, name, status, result, goals, hasPlan } = shown
  const { wish, order, isBusy, fault } = useWishes(id, status)
  const { data: server } = useQuery(serverQuery)
  const [isStopping, setStopping] = useState(false)
  const isOver = hasEnded(status)
  const isRunning = status === 'RUNNING'
  const isLeft = !isRunning && !isOver
  // A plan that is code is not stored: only the program that has it can go on.
  const canResume = isLeft && hasPlan
  const mayNot =
    server && !server.scopes.includes('admin')
      ? 'This key may not do that: it lacks the scope admin.'
      : undefined
  const again = useMutation({
    mutationFn: () => ask('post /experiments', { body: { planOf: id } }),
    onSuccess: useOpenStarted(),
    onError: error => notify(error.message, 'danger'),
  })
  const actions = [
    isOver &&
      hasPlan && {
        ...{ keys: 'A', does: 'run it again', label: 'Run again', kind: 'primary' as const },
        run: () => again.mutate(),
        icon: <RotateCcw size={13} aria-hidden />,
      },
    isRunning && {
      ...{
        keys: 'p',
        does: 'pause',
        label: 'Pause',
        kind: 'line' as const,
        run: () => wish('pause'),
      },
      icon: <Pause size={14} fill="currentColor" strokeWidth={0} aria-hidden />,
    },
    canResume && {
      ...{
        keys: 'p',
        does: 'resume',
        label: 'Resume',
        kind: 'primary' as const,
        run: () => wish('resume'),
      },
      icon: <Play size={13} fill="currentColor" aria-hidden />,
    },
    canResume && {
      ...{ keys: '.', does: 'one act, and pause again', label: 'One act', kind: 'line' as const },
      run: () => wish('step'),
      icon: <StepForward size={13} aria-hidden />,
    },
    !isOver && {
      ...{ keys: 'S', does: 'stop, after a question', label: 'Stop', kind: 'danger' as const },
      run: () => setStopping(true),
      icon: <Square size={12} fill="currentColor" aria-hidden />,
    },
  ].filter(action => action !== false)
  useKeys('Experiment', actions)
  const why = mayNot ?? (isBusy || again.isPending ? 'The last wish is under way.' : undefined)
  return (
    <header className="grid gap-2 padded line-below">
      <div className={`row slim ${styles.row}`}>
        <h1 className={`cut ${styles.name}`} title={id}>
          {id}
        </h1>
        <span className={styles.status} data-status={status}>
          <StatusMark status={markOf[status]} label={wordOf(status)} />
          <span role="status">{sentenceOf(shown)}</span>
        </span>
        {name !== id && (
          <span className="cut slim muted wide-only" title={name}>
            {name}
          </span>
        )}
        <span className="flex gap-2 rigid pushed">
          <Button onClick={onPlan}>Plan</Button>
          {actions.map(({ label, kind, icon, run }) => (
            <Button key={label} {...{ kind, why }} onClick={run}>
              {icon} {label}
            </Button>
          ))}
        </span>
      </div>
      {isOver &&
        result !== undefined &&
        !goals.some(({ description }) => description === result) && (
          <p className={`scrolls soft breaks ${styles.result}`} data-status={status}>
            {result}
          </p>
        )}
      {order && (
        <Notice>
          {order === 'stop'
            ? 'It stops before the next role acts.'
            : 'It pauses before the next role acts.'}{' '}
          What is in the log is never done twice.
        </Notice>
      )}
      {isLeft && (status === 'INTERRUPTED' || !hasPlan) && (
        <Notice>
          {status === 'INTERRUPTED' && 'The process that ran it is gone. '}
          {hasPlan ? (
            'Resume goes on where it stood: no step is done twice.'
          ) : (
            <>
              Its plan is code, which is not stored here: start the program that has the plan again,
              and resume <b>{id}</b> there. No step is done twice.
            </>
          )}
        </Notice>
      )}
      {fault && <Notice kind="danger">{fault.message}</Notice>}
      {isStopping && (
        <ConfirmDialog
          title={`Stop ${id} for good?`}
          action="Stop it"
          onConfirm={() => {
            wish('stop')
            setStopping(false)
          }}
          onClose={() => setStopping(false)}
        >
          It ends before the next role acts and cannot be resumed. Everything that happened stays in
          the log. To go on later, pause it instead.
        </ConfirmDialog>
      )}
    </header>
  )
}

/** Asks the server to pause, resume or stop. What another process runs is only asked: `order` is set until it obeys. */
function useWishes(experiment: string, status: ExperimentAnswer['status']) {
  const [order, setOrder] = useState<ControlWish>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: with another status it has obeyed
  useEffect(() => setOrder(undefined), [experiment, status])
  const { mutate, isPending, error } = useMutation({
    mutationFn: async (wish: ControlWish) => {
      const params = { experiment }
      if (wish === 'pause' || wish === 'stop')
        return ask(`post /experiments/:experiment/${wish}`, { params })
      await ask('post /experiments/:experiment/resume', {
        params,
        body: wish === 'step' ? { acts: 1 } : {},
      })
      return { is: 'done' }
    },
    onSuccess({ is }, wish) {
      if (is === 'asked') setOrder(wish)
      else notify(doneTexts[wish])
      void queryClient.invalidateQueries({ queryKey: inConversation(experiment) })
    },
  })
  return { wish: mutate, order, isBusy: isPending, fault: error }
}

const doneTexts: Readonly<Record<ControlWish, string>> = {
  pause: 'It is paused.',
  resume: 'It goes on.',
  step: 'One role acts.',
  stop: 'It is stopped.',
}

/** The goals, and how far each one is. */
export function Goals({
  shown: { goals, snapshots },
  measures,
}: Pick<BoardProps, 'shown' | 'measures'>) {
  if (goals.length === 0) return null
  const isMany = goals.length > 4
  const start = snapshots[0]?.environment ?? {}
  const { step = 0, environment: now = {} } = snapshots.at(-1) ?? {}
  return (
    <ul
      className={styles.goals}
      aria-label="Goals"
      data-many={isMany}
      tabIndex={isMany ? 0 : undefined}
    >
      {goals.map(({ description, outcome, isMet }, at) => {
        const measure = measures[at]
        const isFailure = outcome === 'failed'
        const share = isMet ? 1 : (measure?.share(now, start) ?? 0)
        const far = isMet ? <b>it holds</b> : farOf(measure, now)
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: goals may share a description
          <li key={at} className={`grid single gap-6px slim padded ${styles.goal}`}>
            <div className={`flex wraps baseline between ${styles.text}`}>
              <span className={`clamped ${styles.description}`} title={description}>
                {description}
              </span>
              <span className="rigid muted text-12 bright">
                {far}
                {!isMet && measure?.sides && step > 0 && ` after step ${step}`}
                {isFailure && (isMet ? ', so it failed' : `${far ? ' · ' : ''}would fail it`)}
              </span>
            </div>
            <Gauge
              value={Math.round(100 * share)}
              most={100}
              label={`How far: ${description}`}
              colour={isFailure ? 'danger' : 'reused'}
            />
          </li>
        )
      })}
    </ul>
  )
}

function farOf(measure: GoalMeasure | undefined, now: Values): React.ReactNode {
  const { sides } = measure ?? {}
  const [value, target] = [sides?.left(now), sides?.right(now)]
  if (!sides || value === undefined || target === undefined) return measure ? null : 'not yet'
  return (
    <span>
      <b>{shownValue(value)}</b>
      {wanted[sides.sign](shownValue(target))}
    </span>
  )
}

const wanted: Readonly<Record<GoalSides['sign'], (target: string) => string>> = {
  '>=': target => ` of ${target}`,
  '>': target => ` of more than ${target}`,
  '<=': target => `, wanted ${target} or less`,
  '<': target => `, wanted less than ${target}`,
  '==': target => `, wanted ${target}`,
  '!=': target => `, wanted anything but ${target}`,
}

/** The parser of CEL is a file of its own, which the board loads after the experiment is shown. */
const readerQuery = {
  queryKey: ['goal measure'],
  queryFn: () => import('./goal-measure.ts'),
  staleTime: Number.POSITIVE_INFINITY,
}

/** How far each goal of an experiment is; undefined for goals that cannot be measured, and while the plan is loading. */
export function useMeasures(plan: PlanJson | undefined, amount: number): Measures {
  const { data: reader } = useQuery(readerQuery)
  return useMemo(
    () =>
      Array.from({ length: amount }, (_, at) =>
        reader?.measureGoal(plan?.goals?.[at]?.holds ?? ''),
      ),
    [reader, plan, amount],
  )
}
