import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { PlanJson } from '../../api/experiment-queries.ts'
import { Gauge } from '../../parts/gauge.tsx'
import type { BoardProps } from './board-state.ts'
import type { GoalMeasure, GoalSides, Measures, Values } from './goal-measure.ts'
import styles from './goals.module.css'
import { shownValue } from './series.ts'

/** The goals, and how far each one is. */
export function Goals({ shown: { goals, snapshots }, measures }: Pick<BoardProps, 'shown' | 'measures'>) {
  if (goals.length === 0) return null
  const isMany = goals.length > 4
  const start = snapshots[0]?.environment ?? {}
  const { step = 0, environment: now = {} } = snapshots.at(-1) ?? {}
  return (
    <ul className={styles.goals} aria-label="Goals" data-many={isMany} tabIndex={isMany ? 0 : undefined}>
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
    () => Array.from({ length: amount }, (_, at) => reader?.measureGoal(plan?.goals?.[at]?.holds ?? '')),
    [reader, plan, amount],
  )
}
