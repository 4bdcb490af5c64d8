import { useRef } from 'react'
import type { AnswerOf } from '../api/routes.ts'
import { FateGlyph } from './fate-glyph.tsx'
import styles from './fate-matrix.module.css'
import type { Fate } from './fates.ts'
import { amountOf, count, short } from './format.ts'

type GridCell = AnswerOf<'get /conversations/:conversation/grid'>

export interface FateMatrixProps {
  readonly windows: readonly number[]
  readonly policies: readonly string[]
  /** The cells that are computed, each with the fate of the selected entry. */
  readonly cells: readonly GridCell[]
  /** The entry up to which cells say what they send, and the number of a cell. */
  readonly at?: number
  readonly figureOf?: (policy: string, window: number) => number | undefined
  /** The cells that are marked, with their letter if they have one. */
  readonly marked: readonly { readonly policy: string; readonly window: number; readonly letter?: string }[]
  readonly label: string
  readonly onPick?: ((policy: string, window: number, isOther: boolean) => void) | undefined
}

/** Where an entry would survive: its fate in several windows with several policies. Cells that can be picked are one tab stop. */
export function FateMatrix(props: FateMatrixProps) {
  const { windows, policies, cells, at: upTo, figureOf, marked, label, onPick } = props
  const body = useRef<HTMLTableSectionElement>(null)
  const stop = marked.at(-1) ?? { policy: policies[0], window: windows[0] }
  const move = (event: React.KeyboardEvent) => {
    const by = ways[event.key]
    const buttons = [...(body.current?.querySelectorAll('button') ?? [])]
    const at = buttons.indexOf(event.target as HTMLButtonElement)
    if (!by || at < 0) return
    event.preventDefault()
    const column = Math.min(windows.length - 1, Math.max(0, (at % windows.length) + by[0]))
    const row = Math.min(policies.length - 1, Math.max(0, Math.floor(at / windows.length) + by[1]))
    buttons[row * windows.length + column]?.focus()
  }
  return (
    <table className={`wide text-11 ${styles.matrix}`}>
      <caption className="hidden">{label}</caption>
      <thead>
        <tr>
          <td />
          {windows.map(window => (
            <th key={window} scope="col" aria-label={`${count(window)} tokens`}>
              {window % 1024 === 0 ? `${window / 1024}k` : short(window)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody ref={body} onKeyDown={onPick && move}>
        {policies.map(policy => (
          <tr key={policy}>
            <th scope="row" data-marked={marked.some(mark => mark.policy === policy)}>
              {policy.replace('-', ' ')}
            </th>
            {windows.map(window => {
              const cell = cells.find(one => one.policyName === policy && one.window === window)
              const fate = cell?.entry as Fate | undefined
              const figure = cell && figureOf?.(policy, window)
              const mark = marked.find(one => one.policy === policy && one.window === window)
              const name = [fate, cell && upTo !== undefined && aboutOf(cell, upTo)]
                .filter(Boolean)
                .join(', ')
              const content = (
                <>
                  {fate && <FateGlyph fate={fate} />}
                  {cell && upTo !== undefined && cell.over > 0 ? (
                    <span>over</span>
                  ) : (
                    figure !== undefined && <span>{short(figure)}</span>
                  )}
                </>
              )
              const shared = {
                className: styles.cell,
                'data-fate': fate,
                'data-marked': mark !== undefined,
                // Not a text of the cell: its name says it.
                'data-letter': mark?.letter,
              }
              return (
                <td key={window}>
                  {onPick ? (
                    <button
                      type="button"
                      {...shared}
                      tabIndex={policy === stop.policy && window === stop.window ? 0 : -1}
                      aria-label={`${mark?.letter ? `${mark.letter}: ` : ''}${policy} at ${count(window)}: ${name || unknown}${figure === undefined ? '' : `, ${short(figure)} read anew`}`}
                      onClick={event => onPick(policy, window, event.shiftKey)}
                    >
                      {content}
                    </button>
                  ) : (
                    <span {...shared} role="img" aria-label={name || unknown}>
                      {content}
                    </span>
                  )}
                </td>
              )
            })}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const unknown = 'not known yet'

/** The name of a cell for screen readers. */
const aboutOf = ({ counts, tokens, over }: GridCell, upTo: number) =>
  `${amountOf(upTo - counts.omitted, 'message')} sent, ${amountOf(tokens, 'token')}${over > 0 ? ', does not fit' : ''}`

/** Columns and rows that an arrow goes over. */
const ways: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}
