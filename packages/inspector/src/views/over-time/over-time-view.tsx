import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { observable } from '../../api/observable.ts'
import { turnsQuery } from '../../api/queries.ts'
import { readAll, timelineQuery } from '../../api/timeline.ts'
import { type ConversationSearch, usePlace, viewAt } from '../../parts/address.ts'
import { amountOf, count, percent } from '../../parts/format.ts'
import { useKeys, walkKeys } from '../../parts/keys.ts'
import { ChoiceMenu } from '../../parts/menu-popup.tsx'
import { EmptyState, QueryState } from '../../parts/query-state.tsx'
import { findPoint } from '../../parts/stops.ts'
import styles from './over-time-view.module.css'
import { Plots } from './plots.tsx'
import { ShadowSums } from './shadow-sums.tsx'
import { TurnPanel } from './turn-panel.tsx'
import { type Course, type CourseProps, callOf, policyInWords, useCourse } from './use-course.ts'

/** What was sent in each turn, what was read again, and what other policies would have cost. */
export function OverTimeView() {
  const { thread } = usePlace()
  const timeline = useQuery(timelineQuery(thread))
  const turns = useQuery(turnsQuery(thread))
  const isWaiting = timeline.data?.isWaiting
  // biome-ignore lint/correctness/useExhaustiveDependencies: all turns are what this view is for, once for each thread
  useEffect(() => {
    if (isWaiting) readAll(thread)
  }, [isWaiting])
  return (
    <QueryState query={turns}>
      {({ turns }) => (
        <QueryState query={timeline}>
          {({ points, isWhole }) =>
            points.length === 0 && isWhole ? (
              <EmptyState title="No model was asked yet">
                After the first call, this view shows what was sent, turn by turn.
              </EmptyState>
            ) : (
              <Shown turns={turns} points={points} isWhole={isWhole} />
            )
          }
        </QueryState>
      )}
    </QueryState>
  )
}

function Shown(props: CourseProps) {
  const { conversation, search, go } = usePlace()
  const { course, chosen, choices, isCompared } = useCourse(props)
  const { by, steps, sums, cache, cuts, compared, isWhole } = course
  const [hover] = useState(() => observable<number | undefined>(undefined))
  const selected = findStep(steps, search)
  const navigate = useNavigate()

  const pick = (index: number) => {
    const step = steps[Math.min(steps.length - 1, Math.max(0, index))]
    if (!step) return
    const [first] = step.points
    // Without a turn in the address, the view follows the newest.
    if (step === steps.at(-1)) go({ turn: undefined, call: undefined })
    else go({ turn: step.turn, call: by === 'call' && first ? callOf(first) : undefined })
  }
  const open = () =>
    void navigate(viewAt('context', conversation, { ...search, turn: steps[selected]?.turn ?? 0 }))
  useKeys('Over time', [
    ...walkKeys(by, selected, pick),
    { keys: 'Home', does: `first ${by}`, run: () => pick(0) },
    { keys: 'End', does: `last ${by}`, run: () => pick(steps.length - 1) },
    { keys: 'c', does: 'next cut', run: () => pick(nextCut(steps, selected)) },
    { keys: 'o', does: 'open this turn in context', run: open },
  ])

  const isShadow = props.points.some(({ shadow }) => shadow !== undefined)
  const total = compared.sums.at(-1) ?? 0
  const soFar = isWhole ? '' : ' so far'
  const answer = isCompared
    ? comparisonInWords(sums.anew, total, compared.name)
    : `${cutWords(cuts, isShadow)}; ${percent(cache.share)} of what was sent was ${cache.reported === 0 ? 'a cached prefix' : 'cached'}${soFar}`
  const turnsInAll = new Set(props.points.map(({ turn }) => turn)).size
  const extent = `in ${amountOf(turnsInAll, 'turn')} and ${amountOf(sums.calls, 'call')}`
  const choice = { selected, hover, pick }
  return (
    <div className={`grid tall clipped ${styles.view}`} aria-busy={!isWhole}>
      <header className={`row slim on-panel line-below ${styles.header}`}>
        <h1>{answer}</h1>
        <p className="slim cut muted">
          {isCompared
            ? `${count(sums.anew)} new tokens${cache.reported === 0 ? '' : ' by our estimate'} instead of ${count(total)}, ${extent}`
            : `${count(cache.anew)} new tokens, ${extent}${soFar}`}
        </p>
        <div className={`flex gap-2 rigid pushed ${styles.controls}`}>
          <ChoiceMenu
            name="Compare with"
            text={compared.name}
            value={chosen}
            choices={choices.map(value => ({ value, label: policyInWords(value) }))}
            onChoose={value => go({ with: value }, { push: true })}
          />
          <ChoiceMenu<Course['by']>
            text={by === 'turn' ? 'By turn' : 'By call'}
            value={by}
            choices={[
              { value: 'turn', label: 'By turn', more: 'its fullest call' },
              { value: 'call', label: 'By call', more: 'each one' },
            ]}
            onChoose={value => go({ by: value, call: undefined }, { push: true })}
          />
        </div>
      </header>
      {isShadow && <ShadowSums points={props.points} />}
      <TurnPanel {...{ course, choice }} />
      <Plots {...{ course, choice }} />
    </div>
  )
}

function cutWords(cuts: number, isShadow: boolean): string {
  if (cuts === 0) return isShadow ? 'Would never have been cut' : 'Never cut'
  return `${isShadow ? 'Would have been cut' : 'Cut'} ${amountOf(cuts, 'time')}`
}

/** The step that an address means; without one the newest that is known. */
function findStep(steps: Course['steps'], search: ConversationSearch): number {
  const point = findPoint(
    steps.flatMap(step => step.points),
    search,
  )
  const index = steps.findIndex(step =>
    point ? step.points.includes(point) : step.turn === search.turn,
  )
  const newest = steps.findLastIndex(({ points }) => points.length > 0)
  return index >= 0 ? index : Math.max(0, newest)
}

function nextCut(steps: Course['steps'], after: number): number {
  const next = steps.findIndex(({ cut }, index) => index > after && cut !== undefined)
  return next >= 0 ? next : steps.findIndex(({ cut }) => cut !== undefined)
}

/** `4.2 × less to read than with the last 50 messages` */
function comparisonInWords(real: number, other: number, name: string): string {
  const [most, least] = [Math.max(real, other), Math.max(1, Math.min(real, other))]
  const times = most / least
  if (times < 1.05) return `About as much to read as with ${name}`
  const size = times < 2 ? percent(times - 1) : `${times < 10 ? times.toFixed(1) : count(times)} ×`
  const less = times < 2 ? percent(1 - least / most) : size
  return real < other
    ? `${less} less to read than with ${name}`
    : `${size} more to read than with ${name}`
}
