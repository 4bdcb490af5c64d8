import styles from './fate-chip.module.css'
import { FateGlyph } from './fate-glyph.tsx'
import { type Fate, fates } from './fates.ts'
import { count } from './format.ts'

export interface FateChipProps {
  readonly fate: Fate
  readonly amount?: number | undefined
  /** With it the chip is a button that filters; without it only a legend. */
  readonly onPick?: (() => void) | undefined
  readonly isPicked?: boolean
  /** Only the glyph and the number, for narrow places. */
  readonly isShort?: boolean
}

/** A fate with how many entries have it: a legend, and a filter where it can be picked. */
export function FateChip({ fate, amount, onPick, isPicked = false, isShort = false }: FateChipProps) {
  const { name, about } = fates.find(one => one.fate === fate)!
  const content = (
    <>
      <FateGlyph fate={fate} />
      {amount !== undefined && <b>{count(amount)}</b>}
      <span className={isShort ? 'hidden' : undefined}>{name}</span>
    </>
  )
  const shared = { className: styles.chip, 'data-fate': fate, 'data-none': amount === 0, title: about }
  return onPick ? (
    <button type="button" aria-pressed={isPicked} onClick={onPick} {...shared}>
      {content}
    </button>
  ) : (
    <span {...shared}>{content}</span>
  )
}
