import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Table2 } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { comparisonQuery } from '../../api/comparison.ts'
import { observable } from '../../api/observable.ts'
import { outlineQuery, serverQuery, turnsQuery } from '../../api/queries.ts'
import { readAll, timelineQuery } from '../../api/timeline.ts'
import { usePlace } from '../../parts/address.ts'
import { Button } from '../../parts/button.tsx'
import choice from '../../parts/choice-menu.module.css'
import { ChoiceMenu } from '../../parts/choice-menu.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { amountOf, count, percent } from '../../parts/format.ts'
import { useKeys } from '../../parts/keys.ts'
import type { OfferedPolicy } from '../../parts/policies.ts'
import { QueryState } from '../../parts/query-state.tsx'
import { toStops } from '../../parts/stops.ts'
import { policyInWords, runningSums, type Step, sumUp, toSteps } from './figures.ts'
import { FiguresTable } from './figures-table.tsx'
import { HowToRead } from './how-to-read.tsx'
import styles from './over-time-view.module.css'
import { Plots } from './plots.tsx'
import { StepPanel } from './step-panel.tsx'
import { TurnPanel } from './turn-panel.tsx'

const usual = 'sliding-50'
/** Shown beside the one that is compared with, where it costs little to make them. */
const others = [
  'thrifty',
  'balanced',
  'thorough',
  'stable',
  'tiered',
] as const satisfies readonly OfferedPolicy[]
const few = 600
/** Calls of a turn on average, from which on calls are shown. */
const manyCalls = 3

/** What was sent in each turn, what was read again, and what other policies would have cost. */
export function OverTimeView() {
  const { thread } = usePlace()
  const client = useQueryClient()
  const timeline = useQuery(timelineQuery(thread))
  const turns = useQuery(turnsQuery(thread))
  const isWaiting = timeline.data?.isWaiting
  // biome-ignore lint/correctness/useExhaustiveDependencies: all turns are what this view is for, once for each thread
  useEffect(() => {
    if (isWaiting) readAll(client, thread)
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

type Turns = Parameters<typeof toStops>[0]
type Points = Parameters<typeof toStops>[1]

interface ShownProps {
  readonly turns: Turns
  readonly points: Points
  readonly isWhole: boolean
}

function Shown({ turns, points, isWhole }: ShownProps) {
  const { conversation, thread, search, go } = usePlace()
  // A turn of many calls says little: its calls are the steps.
  const by = search.by ?? (points.length > manyCalls * turns.length ? 'call' : 'turn')
  const steps = useMemo(() => toSteps(toStops(turns, points), by), [turns, points, by])
  const own = points.at(-1)?.policy ?? ''
  const chosen = search.with ?? (own === 'sliding' ? 'balanced' : usual)
  const comparison = useQuery({ ...comparisonQuery(thread, [chosen]), enabled: isWhole })
  const rest = useMemo(() => others.filter(one => one !== chosen && one !== own), [chosen, own])
  const isRestWanted = comparison.data?.isWhole === true && points.length <= few
  const restComparison = useQuery({ ...comparisonQuery(thread, rest), enabled: isRestWanted })
  const outline = useQuery(outlineQuery(thread))
  const running = useMemo(
    () => runningSums(steps, comparison.data, isWhole),
    [steps, comparison.data, isWhole],
  )
  const restRunning = useMemo(
    () => runningSums(steps, restComparison.data, isWhole).others,
    [steps, restComparison.data, isWhole],
  )
  const [compared] = running.others
  const sums = useMemo(() => sumUp(points), [points])
  const cuts = useMemo(() => steps.reduce((sum, step) => sum + step.cuts, 0), [steps])
  const [hover] = useState(() => observable<number | undefined>(undefined))
  const selected = findStep(steps, search)
  const navigate = useNavigate()

  const pick = (index: number) => {
    const step = steps[Math.min(steps.length - 1, Math.max(0, index))]
    if (!step) return
    const [first] = step.points
    // At the end it follows what comes.
    const isLast = step === steps.at(-1)
    if (isLast) go({ turn: undefined, call: undefined })
    else go({ turn: step.turn, call: by === 'call' && first ? (first.call ?? String(first.at)) : undefined })
  }
  const open = () =>
    void navigate({
      to: '/c/$conversation/context',
      params: { conversation },
      search: { ...search, turn: steps[selected]?.turn ?? 0 },
    })
  useKeys('Over time', [
    { keys: 'ArrowLeft', does: `${by} before`, run: () => pick(selected - 1) },
    { keys: 'ArrowRight', does: `${by} after`, run: () => pick(selected + 1) },
    { keys: 'Shift+ArrowLeft', does: `ten ${by}s back`, run: () => pick(selected - 10) },
    { keys: 'Shift+ArrowRight', does: `ten ${by}s on`, run: () => pick(selected + 10) },
    { keys: 'Home', does: `first ${by}`, run: () => pick(0) },
    { keys: 'End', does: `last ${by}`, run: () => pick(steps.length - 1) },
    { keys: 'c', does: 'next cut', run: () => pick(nextCut(steps, selected)) },
    { keys: 'o', does: 'open this turn in context', run: open },
  ])

  const total = compared?.sums.at(-1)
  const isCompared = comparison.data?.isWhole === true && compared?.sums.length === steps.length
  const answer =
    isCompared && total !== undefined
      ? comparisonInWords(sums.anew, total, policyInWords(chosen))
      : `${cuts === 0 ? 'Never cut' : `Cut ${cuts} ${cuts === 1 ? 'time' : 'times'}`}; ${percent(sums.tokens === 0 ? 0 : sums.reused / sums.tokens)} of what was sent had been read before${isWhole ? '' : ' so far'}`
  const turnsInAll = new Set(points.map(({ turn }) => turn)).size
  const extent = `in ${amountOf(turnsInAll, 'turn')} and ${amountOf(sums.calls, 'call')}`
  const server = useQuery(serverQuery)
  const choices = comparable(server.data?.policies ?? [...others], chosen).filter(one => one !== own)
  const tokensBetween = useTokensBetween(outline.data, steps[selected]?.points[0]?.factor)
  const anewOf = (index: number) => {
    const now = compared?.sums[index]
    return now === undefined ? undefined : now - (index === 0 ? 0 : compared!.sums[index - 1]!)
  }
  return (
    <div className={`grid tall clipped ${styles.view}`} aria-busy={!isWhole}>
      <header className={`row slim on-panel line-below ${styles.header}`}>
        <h1>{answer}</h1>
        <p className="slim cut muted">
          {isCompared && total !== undefined
            ? `${count(sums.anew)} tokens instead of ${count(total)}, ${extent}`
            : `${count(sums.anew)} tokens read, ${extent}${isWhole ? '' : ' so far'}`}
        </p>
        <div className={`flex gap-2 rigid pushed ${styles.controls}`}>
          <ChoiceMenu
            name="Compare with"
            text={policyInWords(chosen)}
            value={chosen}
            choices={choices.map(value => ({ value, label: policyInWords(value) }))}
            onChoose={value => go({ with: value }, { push: true })}
          />
          <ChoiceMenu
            text={by === 'turn' ? 'By turn' : 'By call'}
            value={by}
            choices={[
              { value: 'turn', label: 'By turn', more: 'its fullest call' },
              { value: 'call', label: 'By call', more: 'each one' },
            ]}
            onChoose={value =>
              go({ by: value === 'call' ? 'call' : 'turn', call: undefined }, { push: true })
            }
          />
          <Button
            className={`${choice.trigger} ${styles.asTable}`}
            aria-pressed={search.as === 'table'}
            onClick={() => go({ as: search.as === 'table' ? undefined : 'table' }, { push: true })}
          >
            <Table2 size={14} aria-hidden /> <span>Table</span>
          </Button>
        </div>
      </header>
      {search.as === 'table' ? (
        <FiguresTable
          conversation={conversation}
          search={search}
          steps={steps}
          by={by}
          compared={{ name: policyInWords(chosen), anewOf }}
        />
      ) : (
        <Plots
          steps={steps}
          by={by}
          points={points}
          cuts={cuts}
          running={{ own: { ...running.own, name: own }, compared, others: restRunning }}
          selected={selected}
          hover={hover}
          isBusy={!isWhole}
          onPick={pick}
        />
      )}
      <StepPanel hover={hover} selected={selected} steps={steps} onPick={pick}>
        {(step, index) => {
          const anew = anewOf(index)
          return (
            <>
              <TurnPanel
                conversation={conversation}
                search={search}
                step={step}
                by={by}
                tokensBetween={tokensBetween}
                compared={anew === undefined ? undefined : { name: policyInWords(chosen), anew }}
              />
              <HowToRead cuts={cuts} steps={steps} />
            </>
          )
        }}
      </StepPanel>
    </div>
  )
}

/** The step that an address means; without one the newest that is known. */
function findStep(
  steps: readonly Step[],
  { turn, call }: { readonly turn?: number | undefined; readonly call?: string | undefined },
): number {
  if (call !== undefined) {
    const found = steps.findIndex(({ points }) =>
      points.some(point => point.call === call || String(point.at) === call),
    )
    if (found >= 0) return found
  }
  const found = turn === undefined ? -1 : steps.findIndex(step => step.turn === turn)
  if (found >= 0) return found
  return Math.max(
    0,
    steps.findLastIndex(({ points }) => points.length > 0),
  )
}

function nextCut(steps: readonly Step[], after: number): number {
  const found = steps.findIndex(({ cut }, index) => index > after && cut !== undefined)
  return found >= 0 ? found : steps.findIndex(({ cut }) => cut !== undefined)
}

/** `4.2 × less to read than with the last 50 messages` */
function comparisonInWords(own: number, other: number, name: string): string {
  const [most, least] = [Math.max(own, other), Math.max(1, Math.min(own, other))]
  const times = most / least
  if (times < 1.05) return `About as much to read as with ${name}`
  const size = times < 2 ? percent(times - 1) : `${times < 10 ? times.toFixed(1) : count(times)} ×`
  const less = times < 2 ? percent(1 - least / most) : size
  return own < other ? `${less} less to read than with ${name}` : `${size} more to read than with ${name}`
}

/** What can be compared with: the policies of the server, `sliding` with how many. */
function comparable(policies: readonly string[], chosen: string): readonly string[] {
  const named = policies.filter(one => one !== 'default' && one !== 'sliding')
  return [...new Set([usual, 'sliding-20', ...named, chosen])]
}

/** Sums of the tokens of entries in a row. */
function useTokensBetween(
  outline: readonly { readonly tokens?: number | undefined }[] | undefined,
  factor = 1,
) {
  const upTo = useMemo(() => {
    const sums = [0]
    for (const { tokens = 0 } of outline ?? []) sums.push(sums.at(-1)! + tokens)
    return sums
  }, [outline])
  return (first: number, last: number): number | undefined => {
    const [from, to] = [upTo[first - 1], upTo[last]]
    return from === undefined || to === undefined ? undefined : Math.round((to - from) * factor)
  }
}
