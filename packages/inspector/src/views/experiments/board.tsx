import { Link } from '@tanstack/react-router'
import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { hasEnded } from '../../api/experiment-queries.ts'
import { useExperimentPlace, viewAt } from '../../parts/address.ts'
import { useKeys, walkKeys } from '../../parts/keys.ts'
import { isNarrow } from '../../parts/use-media.ts'
import styles from './board.module.css'
import type { Acts, BoardCell, BoardProps, BoardState, CellState } from './board-state.ts'
import { cellStateOf, stepsIn, useActs } from './board-state.ts'
import { fullnessOf, linesOf, sentenceOfAct } from './describe-act.ts'
import { MemoryPlot, VariableRow } from './plot-rows.tsx'
import { seriesOf } from './series.ts'

/** Steps from left to right: what each role did, and under it how the variables and the memory went. */
export function Board(props: BoardProps) {
  const { shown, measures, selected } = props
  const { go } = useExperimentPlace()
  const { id, roles, steps, maxSteps, status } = shown
  const scroller = useRef<HTMLDivElement>(null)
  const isOver = hasEnded(status)
  const open = Math.min(steps + 1, maxSteps)
  const isSlim = matchMedia(isNarrow).matches
  const lead = isSlim ? 100 : 124
  // The room behind the last step, for the names at the ends of lines; a step that is coming gives it too.
  const gutter = !isOver ? 24 : isSlim ? 56 : 88
  const count = isOver ? Math.max(1, open) : Math.min(maxSteps, open + 1)
  const [fitting, setFitting] = useState({ count, narrowest: narrowestStep })
  const columns = useColumns(scroller, fitting.count, lead + gutter, fitting.narrowest)
  const acts = useActs(shown, columns.first, columns.last)
  // A step that an experiment ended in the middle of has a column; one that it never began has none.
  const last = isOver && !acts.get(open)?.size && open > steps ? Math.max(1, steps) : count
  // What stands in the cells is known now: the columns take its width, and only steps that have one share the room.
  const narrowest = useMemo(
    () => Math.max(fitting.narrowest, widthOf(acts)),
    [acts, fitting.narrowest],
  )
  if (fitting.count !== last || fitting.narrowest !== narrowest)
    setFitting({ count: last, narrowest })
  const isOpen = open > steps && last >= open
  const series = useMemo(() => seriesOf(shown, measures, isOpen), [shown, measures, isOpen])
  const { role, step } = selected

  const select = (cell: Partial<BoardCell>) => go({ ...selected, ...cell })
  const moveTo = (to: number) => select({ step: Math.min(Math.max(1, to), Math.min(last, open)) })
  const moveRole = (by: number) => {
    const at = roles.indexOf(role)
    const next = roles[Math.min(Math.max(0, at + by), roles.length - 1)]
    if (next !== undefined) select({ role: next })
  }
  useKeys('Board', [
    ...walkKeys('step', step, moveTo),
    { keys: 'Home', does: 'first step', run: () => moveTo(1) },
    { keys: 'End', does: 'the newest step, and follow it', run: () => go({ step: undefined }) },
    { keys: 'j', does: 'next role', run: () => moveRole(1) },
    { keys: 'k', does: 'role before', run: () => moveRole(-1) },
  ])

  // The selected step stays in sight, with the one after it.
  useEffect(() => {
    const element = scroller.current
    if (!element) return
    const [from, to] = [(step - 1) * columns.width, (step + 1) * columns.width]
    const room = element.clientWidth - lead - gutter / 2
    if (from < element.scrollLeft) element.scrollTo({ left: from - columns.width })
    // A column is not cut in its middle.
    else if (to > element.scrollLeft + room)
      element.scrollTo({ left: Math.ceil((to - room) / columns.width) * columns.width })
  }, [step, columns.width, lead, gutter])

  const drawn = { ...columns, count: last, last: Math.min(last, columns.last) }
  const board: BoardState = { ...props, acts, columns: drawn, isOpen, select, moveTo, moveRole }
  const place = { '--step': `${columns.width}px`, '--lead': `${lead}px` } as React.CSSProperties
  return (
    <div
      ref={scroller}
      className={`inset fill low scrolls relative ${styles.scroller}`}
      style={place}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
      tabIndex={0}
      role="region"
      aria-label="Board"
    >
      <div
        className={`relative ${styles.inner}`}
        style={{ width: lead + last * columns.width + gutter }}
      >
        <i
          className={`absolute ${styles.chosen}`}
          style={{ left: lead + (step - 1) * columns.width }}
        />
        {last > open && (
          <i
            className={`absolute ${styles.coming}`}
            style={{ left: lead + open * columns.width }}
          />
        )}
        <table
          className={`relative ${styles.grid}`}
          style={{ width: lead + drawn.last * columns.width }}
          aria-label={`What each role of ${id} did in each step`}
        >
          <thead>
            <tr>
              <th scope="col" className={styles.lead}>
                Step
              </th>
              {drawn.first > 1 && <td style={{ width: (drawn.first - 1) * columns.width }} />}
              {stepsIn(drawn).map(one => (
                <th key={one} scope="col" className={styles.number} data-chosen={one === step}>
                  {one}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {roles.map(name => (
              <RoleRow key={name} {...{ name, board }} />
            ))}
          </tbody>
        </table>
        <h2 className={`muted label ${styles.heading}`}>
          <span>Environment</span>
        </h2>
        {series.map(one => (
          <VariableRow key={`${one.type} ${one.name}`} {...{ series: one, board }} />
        ))}
        <h2 className={`muted label ${styles.heading}`}>
          <span>Memory</span>
        </h2>
        <MemoryPlot board={board} />
      </div>
    </div>
  )
}

/** The width that the longest line in a cell needs: what was done shows whole. Sentences are folded, and need none. */
function widthOf(acts: Acts): number {
  const acting = [...acts.values()]
    .flatMap(step => [...step.values()])
    .filter(act => act.tools.length > 0)
  const longest = acting
    .flatMap(linesOf)
    .reduce((most, { name, value }) => Math.max(most, `${name} ${value}`.trim().length), 0)
  return Math.min(widestStep, Math.max(narrowestStep, Math.ceil(longest * letter + cellPadding)))
}

/** The width of a letter in a cell, and the room beside its lines. */
const letter = 6.6
const cellPadding = 14

const narrowestStep = 52
const widestStep = 104
/** Columns are drawn in groups, so that scrolling draws anew only now and then. */
const group = 16

/** Equal columns, drawn only near what is visible. `lead` is the room of the row headers, `narrowest` that of a column. */
function useColumns(
  ref: RefObject<HTMLElement | null>,
  count: number,
  lead: number,
  narrowest: number,
) {
  const [seen, setSeen] = useState({ room: 0, left: 0 })
  useLayoutEffect(() => {
    const element = ref.current
    if (!element) return
    const look = () => {
      const room = Math.max(0, element.clientWidth - lead)
      const left = Math.floor(element.scrollLeft / (group * narrowestStep)) * group * narrowestStep
      setSeen(before => (before.room === room && before.left === left ? before : { room, left }))
    }
    look()
    const observer = new ResizeObserver(look)
    observer.observe(element)
    element.addEventListener('scroll', look, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', look)
    }
  }, [ref, lead])
  // If not all columns fit, those that do fill the room, so that no column is cut in its middle at the end.
  const fitting = Math.max(1, Math.floor(seen.room / narrowest))
  const width =
    count <= fitting
      ? Math.min(widestStep, Math.max(narrowest, Math.floor(seen.room / Math.max(1, count))))
      : Math.max(narrowest, Math.floor(seen.room / fitting))
  const shown = Math.ceil(seen.room / width) + 2 * group
  const first = Math.max(1, Math.floor(seen.left / width) + 1 - group)
  return { count, width, first, last: Math.min(count, first + shown) }
}

interface RoleRowProps {
  readonly name: string
  readonly board: BoardState
}

/** What one role did, step by step. Tab leads to the selected cell, arrows to its neighbours. */
export function RoleRow({ name, board }: RoleRowProps) {
  const about = board.memories.get(name)
  return (
    <tr>
      <th scope="row" className={styles.lead} title={name}>
        <Link
          {...viewAt('context', board.shown.id, { actor: name })}
          className={`link ${styles.name}`}
          title={`The memory of ${name}: what the model got`}
        >
          {name}
        </Link>
        {about && <span className="clamped muted tiny">{about}</span>}
      </th>
      {board.columns.first > 1 && <td />}
      {stepsIn(board.columns).map(step => (
        <Cell key={step} {...{ name, step, board }} />
      ))}
    </tr>
  )
}

const mostLines = 4

function Cell({ name, step, board }: RoleRowProps & { readonly step: number }) {
  const { shown, selected, select, moveRole } = board
  const state = cellStateOf(board, { role: name, step })
  const { act, isActing, isEnded, isRead } = state
  const isChosen = selected.role === name && selected.step === step
  const cell = useRef<HTMLButtonElement>(null)
  // The focus follows the selection, but only if it is in the board already.
  useEffect(() => {
    const table = cell.current?.closest('table')
    if (isChosen && table?.contains(document.activeElement))
      cell.current?.focus({ preventScroll: true })
  }, [isChosen])
  if (step > shown.steps + 1) return <td className={styles.cell} />
  const lines = act ? linesOf(act) : []
  const fullness = act ? fullnessOf(act) : 0
  const label = labelOf(state)
  return (
    <td className={styles.cell}>
      <button
        ref={cell}
        type="button"
        tabIndex={isChosen ? 0 : -1}
        className={`column slim wide tall clipped relative hovers at-middle ${styles.act}`}
        data-chosen={isChosen}
        aria-pressed={isChosen}
        data-acting={isActing}
        aria-label={`${name}, step ${step}: ${label}`}
        title={label}
        onClick={() => select({ role: name, step })}
        onKeyDown={event => {
          const by = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0
          if (by === 0 || event.shiftKey || event.metaKey || event.ctrlKey) return
          event.preventDefault()
          moveRole(by)
        }}
      >
        {lines.slice(0, mostLines).map((line, at) => (
          <span
            // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a cell have no names
            key={at}
            className={styles.line}
            data-kind={line.kind}
            data-plain={act?.tools.length === 0}
          >
            <span>{line.name}</span>
            {line.value !== '' && <b>{line.value}</b>}
          </span>
        ))}
        {lines.length > mostLines && (
          <span className={styles.line}>{lines.length - mostLines} more</span>
        )}
        {lines.length === 0 && label === 'acting now' && (
          <span className={styles.line} data-kind="running">
            acting
          </span>
        )}
        {lines.length === 0 && isEnded && isRead && <span className={styles.line}>–</span>}
        {fullness > 0 && (
          <i
            className={`absolute ${styles.fullness}`}
            style={{ width: `${Math.min(100, 100 * fullness)}%` }}
          />
        )}
      </button>
    </td>
  )
}

/** What a cell says, for people who do not see it. */
function labelOf({ act, isActing, isEnded, isRead }: CellState): string {
  if (act && linesOf(act).length > 0) return sentenceOfAct(act)
  if (isActing || act?.status === 'open') return 'acting now'
  if (act) return 'said nothing'
  if (!isEnded) return 'not yet'
  return isRead ? 'did not act' : 'being read'
}
