import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ChevronLeft, ChevronRight, ChevronUp, Table2 } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { comparisonQuery } from '../../api/comparison.ts'
import { type Observable, observable } from '../../api/observable.ts'
import { outlineQuery, serverQuery, turnsQuery } from '../../api/queries.ts'
import { readAll, timelineQuery } from '../../api/timeline.ts'
import { usePlace } from '../../parts/address.ts'
import { Button } from '../../parts/button.tsx'
import { ChoiceMenu } from '../../parts/choice-menu.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { amountOf, count, dayTime, percent } from '../../parts/format.ts'
import { useKeys } from '../../parts/keys.ts'
import { QueryState } from '../../parts/query-state.tsx'
import { toDays, toStops } from '../../parts/stops.ts'
import { isNarrow, useMedia } from '../../parts/use-media.ts'
import { useSize } from '../../parts/use-size.ts'
import { AccuracyPlot } from './accuracy-plot.tsx'
import { accuracyOf, policyInWords, type Running, runningSums, type Step, sumUp, toSteps } from './figures.ts'
import { FiguresTable } from './figures-table.tsx'
import styles from './over-time-view.module.css'
import { ReadPlot } from './read-plot.tsx'
import { ReusePlot } from './reuse-plot.tsx'
import { SentPlot } from './sent-plot.tsx'
import { TurnPanel } from './turn-panel.tsx'

const usual = 'sliding-50'
/** Shown beside the one that is compared with, where it costs little to make them. */
const others = ['thrifty', 'balanced', 'thorough', 'stable', 'tiered'] as const
const few = 600

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
                As soon as one is, what it was sent stands here, turn by turn.
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
  const by = search.by ?? 'turn'
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
      : `${cuts === 0 ? 'Never cut' : `Cut ${cuts} ${cuts === 1 ? 'time' : 'times'}`}; ${percent(sums.tokens === 0 ? 0 : sums.reused / sums.tokens)} of what was sent had been read before`
  const turnsInAll = new Set(points.map(({ turn }) => turn)).size
  const extent = `in ${amountOf(turnsInAll, 'turn')} and ${amountOf(sums.calls, 'call')}`
  const server = useQuery(serverQuery)
  const choices = comparable(server.data?.policies ?? [...others], chosen).filter(one => one !== own)
  const tokensBetween = useTokensBetween(outline.data)
  const anewOf = (index: number) => {
    const now = compared?.sums[index]
    return now === undefined ? undefined : now - (index === 0 ? 0 : compared!.sums[index - 1]!)
  }
  return (
    <div className={styles.view} aria-busy={!isWhole}>
      <header className={styles.header}>
        <h1>{answer}</h1>
        <p>
          {isCompared && total !== undefined
            ? `${count(sums.anew)} tokens instead of ${count(total)}, ${extent}`
            : `${count(sums.anew)} tokens read, ${extent}${isWhole ? '' : ' so far'}`}
        </p>
        <div className={styles.controls}>
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
              { value: 'turn', label: 'By turn', more: 'its first call' },
              { value: 'call', label: 'By call', more: 'each one' },
            ]}
            onChoose={value =>
              go({ by: value === 'call' ? 'call' : undefined, call: undefined }, { push: true })
            }
          />
          <Button
            className={styles.asTable ?? ''}
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
          isComparing={comparison.data?.isWhole !== true}
          onPick={pick}
        />
      )}
      <Panel hover={hover} selected={selected} steps={steps} onPick={pick}>
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
      </Panel>
    </div>
  )
}

interface PlotsProps {
  readonly steps: readonly Step[]
  readonly by: 'turn' | 'call'
  readonly points: Points
  readonly cuts: number
  readonly running: {
    readonly own: Running
    readonly compared: Running | undefined
    readonly others: readonly Running[]
  }
  readonly selected: number
  readonly hover: Observable<number | undefined>
  readonly isBusy: boolean
  readonly isComparing: boolean
  readonly onPick: (index: number) => void
}

/** The plots over one axis, with a cursor through all of them. */
function Plots(props: PlotsProps) {
  const { steps, by, points, cuts, running, selected, hover, isBusy, isComparing, onPick } = props
  const [setArea, size] = useSize<HTMLDivElement>()
  const isSlim = useMedia(isNarrow)
  const gutter = isSlim ? 38 : 44
  const width = Math.max(80, size.width - gutter - (isSlim ? 24 : 36))
  // A narrow page scrolls as a whole: its plots are as high as they like.
  const room = isSlim ? 0 : size.height
  const accuracy = useMemo(() => accuracyOf(points), [points])
  const hasReports = accuracy.reported > 0
  const heights = useMemo(() => toHeights(room, hasReports), [room, hasReports])
  const frames = useMemo(() => heights.map(height => ({ width, height, gutter })), [heights, width, gutter])
  const sums = useMemo(() => sumUp(points), [points])
  const days = useMemo(() => toDays(steps, width), [steps, width])
  const [sent, reuse, read, exact] = frames as [Frame, Frame, Frame, Frame]
  return (
    <div className={styles.scroller} ref={setArea}>
      <div className={styles.plots}>
        {size.width > 0 && (
          <>
            <SentPlot frame={sent} steps={steps} by={by} isBusy={isBusy} />
            <ReusePlot frame={reuse} steps={steps} by={by} sums={sums} cuts={cuts} isBusy={isBusy} />
            <ReadPlot
              frame={read}
              steps={steps.length}
              calls={sums.calls}
              own={running.own}
              compared={running.compared}
              others={running.others}
              isBusy={isBusy || isComparing}
            />
            <AccuracyPlot frame={exact} steps={steps} accuracy={accuracy} isBusy={isBusy} />
            <div className={styles.days} style={{ marginLeft: gutter }} aria-hidden="true">
              {days.map(({ left, text }) => (
                <span key={left} style={{ left }}>
                  {text}
                </span>
              ))}
            </div>
            <Cursor
              steps={steps}
              by={by}
              width={width}
              gutter={gutter}
              selected={selected}
              hover={hover}
              isBusy={isBusy}
              onPick={onPick}
            />
          </>
        )}
      </div>
    </div>
  )
}

type Frame = Parameters<typeof SentPlot>[0]['frame']

/** How high the four plots are in a height: as the screen has it, never flat. */
function toHeights(height: number, hasReports: boolean): readonly number[] {
  const room = Math.max(420, height - 250)
  const shares = hasReports ? [0.43, 0.14, 0.32, 0.11] : [0.48, 0.16, 0.355, 0.005]
  return shares.map(share => Math.round(room * share))
}

interface CursorProps extends Pick<PlotsProps, 'steps' | 'by' | 'selected' | 'hover' | 'isBusy' | 'onPick'> {
  readonly width: number
  readonly gutter: number
}

/** A line through all plots at one turn. The pointer moves a second one that is weaker; a click or a key takes it there. */
function Cursor({ steps, by, width, gutter, selected, hover, isBusy, onPick }: CursorProps) {
  const hovered = hover.use()
  const step = width / Math.max(1, steps.length)
  const indexAt = (event: React.PointerEvent) => {
    const box = event.currentTarget.getBoundingClientRect()
    return Math.min(steps.length - 1, Math.max(0, Math.floor((event.clientX - box.left) / step)))
  }
  const now = steps[selected]
  const [point] = now?.points ?? []
  return (
    <div
      className={styles.cursor}
      style={{ left: gutter, width }}
      role="slider"
      tabIndex={0}
      aria-label={by === 'turn' ? 'Turn' : 'Call'}
      aria-valuemin={1}
      aria-valuemax={Math.max(1, steps.length)}
      aria-valuenow={selected + 1}
      aria-valuetext={
        now &&
        `Turn ${now.turn}, ${dayTime(now.time)}${point ? `: ${count(point.tokens)} tokens, ${percent(point.reused / Math.max(1, point.tokens))} reused` : ''}${now.cut ? ', the cut moved' : ''}`
      }
      aria-busy={isBusy}
      onPointerDown={event => {
        event.currentTarget.setPointerCapture(event.pointerId)
        onPick(indexAt(event))
      }}
      onPointerMove={event => {
        if (event.buttons === 1) onPick(indexAt(event))
        else if (event.pointerType === 'mouse') hover.set(indexAt(event))
      }}
      onPointerLeave={() => hover.set(undefined)}
    >
      {hovered !== undefined && hovered !== selected && (
        <CursorLine kind="hover" turn={steps[hovered]?.turn} at={(hovered + 0.5) * step} width={width} />
      )}
      {now && <CursorLine kind="chosen" turn={now.turn} at={(selected + 0.5) * step} width={width} />}
    </div>
  )
}

interface CursorLineProps {
  readonly kind: 'hover' | 'chosen'
  readonly turn: number | undefined
  readonly at: number
  readonly width: number
}

/** The number stays within the plot, though the line is at its edge. */
function CursorLine({ kind, turn, at, width }: CursorLineProps) {
  const half = String(turn).length * 3.5 + 8
  const shift = Math.max(half, Math.min(width - half, at)) - at
  return (
    <i data-kind={kind} style={{ left: at }}>
      <b style={{ marginLeft: shift }}>{turn}</b>
    </i>
  )
}

interface PanelProps extends Pick<PlotsProps, 'hover' | 'selected' | 'steps' | 'onPick'> {
  readonly children: (step: Step, index: number) => React.ReactNode
}

/** Shows the turn under the pointer, else the one that is chosen. On narrow screens it is a sheet that can be drawn up. */
function Panel({ hover, selected, steps, onPick, children }: PanelProps) {
  const index = hover.use() ?? selected
  const step = steps[index]
  const isSlim = useMedia(isNarrow)
  if (!step) return <aside className={styles.panel} aria-label="One turn" />
  if (!isSlim)
    return (
      <aside className={styles.panel} aria-label="One turn">
        {children(step, index)}
      </aside>
    )
  const [first] = step.points
  return (
    <aside className={styles.panel} aria-label="One turn">
      <div className={styles.steps}>
        <Button kind="icon" aria-label="Turn before" disabled={index === 0} onClick={() => onPick(index - 1)}>
          <ChevronLeft size={18} aria-hidden />
        </Button>
        <Button
          kind="icon"
          aria-label="Turn after"
          disabled={index === steps.length - 1}
          onClick={() => onPick(index + 1)}
        >
          <ChevronRight size={18} aria-hidden />
        </Button>
      </div>
      <details>
        <summary>
          <b>Turn {step.turn}</b>
          {first && (
            <span>
              {count(first.tokens)} sent, {percent(first.reused / Math.max(1, first.tokens))} reused
              {step.cut ? ', cut' : ''}
            </span>
          )}
          <ChevronUp size={16} aria-hidden />
        </summary>
        {children(step, index)}
      </details>
    </aside>
  )
}

function HowToRead({ cuts, steps }: { readonly cuts: number; readonly steps: readonly Step[] }) {
  const between = useMemo(
    () => sumUp(steps.filter(({ cut }) => !cut).flatMap(({ points }) => points)),
    [steps],
  )
  if (cuts === 0) return null
  return (
    <section className={styles.how}>
      <h3>How to read it</h3>
      <p>
        A dip in the green bars is the price of a cut: the prompt is read again from where it changed.{' '}
        <b>
          {cuts} {cuts === 1 ? 'cut' : 'cuts'}
        </b>{' '}
        so far; between them <b>{percent(between.tokens === 0 ? 0 : between.reused / between.tokens)}</b> is
        reused.
      </p>
    </section>
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
function useTokensBetween(outline: readonly { readonly tokens?: number | undefined }[] | undefined) {
  const upTo = useMemo(() => {
    const sums = [0]
    for (const { tokens = 0 } of outline ?? []) sums.push(sums.at(-1)! + tokens)
    return sums
  }, [outline])
  return (first: number, last: number): number | undefined => {
    const [from, to] = [upTo[first - 1], upTo[last]]
    return from === undefined || to === undefined ? undefined : to - from
  }
}
