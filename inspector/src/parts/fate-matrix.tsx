import { FateGlyph } from './fate-glyph.tsx'
import styles from './fate-matrix.module.css'
import type { Fate } from './fates.ts'
import { count, short } from './format.ts'

export interface MatrixCell {
  readonly fate: Fate
  /** A number beside the glyph. */
  readonly figure?: number | undefined
  /** For people who do not see it. */
  readonly about?: string | undefined
}

export interface FateMatrixProps {
  readonly windows: readonly number[]
  readonly policies: readonly string[]
  /** Undefined while it is being made. */
  readonly cellAt: (policy: string, window: number) => MatrixCell | undefined
  /** The cells that are marked, with their letter if they have one. */
  readonly marked: readonly { readonly policy: string; readonly window: number; readonly letter?: string }[]
  readonly label: string
  readonly onPick?: ((policy: string, window: number, isOther: boolean) => void) | undefined
}

/** Where an entry would survive: its fate in several windows with several policies. */
export function FateMatrix({ windows, policies, cellAt, marked, label, onPick }: FateMatrixProps) {
  return (
    <table className={styles.matrix}>
      <caption>{label}</caption>
      <thead>
        <tr>
          <td />
          {windows.map(window => (
            <th key={window} scope="col" aria-label={`${count(window)} tokens`}>
              {`${window / 1024}k`}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {policies.map(policy => (
          <tr key={policy}>
            <th scope="row" data-marked={marked.some(mark => mark.policy === policy)}>
              {policy.replace('-', ' ')}
            </th>
            {windows.map(window => {
              const cell = cellAt(policy, window)
              const mark = marked.find(one => one.policy === policy && one.window === window)
              const name = cell
                ? `${cell.fate}${cell.about === undefined ? '' : `, ${cell.about}`}`
                : 'not known yet'
              const content = (
                <>
                  {mark?.letter && <b className={styles.letter}>{mark.letter}</b>}
                  {cell && <FateGlyph fate={cell.fate} />}
                  {cell?.figure !== undefined && <span>{short(cell.figure)}</span>}
                </>
              )
              const shared = {
                className: styles.cell,
                'data-fate': cell?.fate,
                'data-marked': mark !== undefined,
              }
              return (
                <td key={window}>
                  {onPick ? (
                    <button
                      type="button"
                      {...shared}
                      aria-label={`${policy} at ${count(window)}: ${name}${cell?.figure === undefined ? '' : `, ${short(cell.figure)}`}`}
                      onClick={event => onPick(policy, window, event.shiftKey)}
                    >
                      {content}
                    </button>
                  ) : (
                    <span {...shared} role="img" aria-label={name}>
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
