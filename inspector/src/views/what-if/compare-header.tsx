import { ArrowLeftRight, ChevronLeft, ChevronRight } from 'lucide-react'
import { Button } from '../../parts/button.tsx'
import { amountOf, count } from '../../parts/format.ts'
import { Tooltip } from '../../parts/tooltip.tsx'
import styles from './compare-header.module.css'
import type { CallPlace, Difference } from './difference.ts'

export interface CompareHeaderProps {
  /** How the sides differ, as soon as both are made. */
  readonly difference: Difference | undefined
  /** The sides that cannot be made, by their letters. */
  readonly broken: string
  /** The sides that do not fit their window. */
  readonly over: string
  readonly turn: number
  readonly calls: readonly CallPlace[]
  readonly onSwap: () => void
  readonly onTurn: (by: number) => void
}

/** What B loses and gains, and the turn for which the sides are compared. */
export function CompareHeader({ difference, broken, over, turn, calls, onSwap, onTurn }: CompareHeaderProps) {
  return (
    <header className={`row slim ${styles.header}`}>
      <h1>
        {broken !== ''
          ? `${broken} cannot be made`
          : !difference
            ? 'Making both sides'
            : over !== ''
              ? `${over} would not fit: ${over.length > 1 ? 'these calls' : 'this call'} would be refused or cut`
              : answerOf(difference)}
      </h1>
      <p>
        {difference && `${count(difference.same)} the same, ${count(difference.altered)} in another form. `}
        {turn > 0 && `Turn ${count(turn)}, computed`} just now from the log: no model was asked.
      </p>
      <div className={`flex rigid ${styles.turns}`}>
        <Tooltip text="Swap A and B (s)">
          <Button kind="icon" aria-label="Swap A and B" onClick={onSwap}>
            <ArrowLeftRight size={14} aria-hidden />
          </Button>
        </Tooltip>
        <Button
          kind="icon"
          aria-label="Turn before"
          onClick={() => onTurn(-1)}
          why={calls[0]!.turn === turn ? 'This is the first turn.' : undefined}
        >
          <ChevronLeft size={16} aria-hidden />
        </Button>
        <Button
          kind="icon"
          aria-label="Turn after"
          onClick={() => onTurn(1)}
          why={calls.at(-1)!.turn === turn ? 'This is the last turn.' : undefined}
        >
          <ChevronRight size={16} aria-hidden />
        </Button>
      </div>
    </header>
  )
}

/** `B would lose 28 messages and gain 21` */
function answerOf({ lost, gained, altered }: Difference): string {
  if (lost > 0 && gained > 0) return `B would lose ${amountOf(lost, 'message')} and gain ${count(gained)}`
  if (lost > 0) return `B would lose ${amountOf(lost, 'message')} and gain none`
  if (gained > 0) return `B would gain ${amountOf(gained, 'message')} and lose none`
  return altered > 0
    ? `B would send ${amountOf(altered, 'message')} in another form`
    : 'A and B send the same'
}
