import { Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { viewAt } from '../../parts/address.ts'
import grid from './board.module.css'
import { type BoardState, type CellState, cellStateOf, stepsIn } from './board-state.ts'
import { fullnessOf, linesOf, sentenceOfAct } from './describe-act.ts'
import styles from './role-row.module.css'

interface RoleRowProps {
  readonly name: string
  readonly board: BoardState
}

/** What one role did, step by step. Tab leads to the selected cell, arrows to its neighbours. */
export function RoleRow({ name, board }: RoleRowProps) {
  const about = board.memories.get(name)
  return (
    <tr>
      <th scope="row" className={grid.lead} title={name}>
        <Link
          {...viewAt('context', board.shown.id, { actor: name })}
          className={`link ${grid.name}`}
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
    if (isChosen && table?.contains(document.activeElement)) cell.current?.focus({ preventScroll: true })
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
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a cell have no names
          <span key={at} className={styles.line} data-kind={line.kind} data-plain={act?.tools.length === 0}>
            <span>{line.name}</span>
            {line.value !== '' && <b>{line.value}</b>}
          </span>
        ))}
        {lines.length > mostLines && <span className={styles.line}>{lines.length - mostLines} more</span>}
        {lines.length === 0 && label === 'acting now' && (
          <span className={styles.line} data-kind="running">
            acting
          </span>
        )}
        {lines.length === 0 && isEnded && isRead && <span className={styles.line}>–</span>}
        {fullness > 0 && (
          <i className={styles.fullness} style={{ width: `${Math.min(100, 100 * fullness)}%` }} />
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
