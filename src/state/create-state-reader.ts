import type { MessageLike } from '../log/message.ts'
import type { State } from './define-state.ts'
import { type Placed, partOf, placeMessage, type Round, readRound } from './read-round.ts'
import { readRounds, type StateReading } from './read-state.ts'
import type { ReadStateOptions } from './take-result.ts'

export interface StateReader<Value> {
  append(message: MessageLike): void
  value(): Value
  /** The value, where it was found, and which results were skipped. */
  reading(): StateReading<Value>
}

/**
 * Reads a state along a growing conversation: the same as `readState` of all messages so far, at the price of the new
 * ones. Nothing is validated before `reading()` is called.
 */
export function createStateReader<Value, Start extends Value | undefined>(
  state: State<Value, Start>,
  options: ReadStateOptions = {},
): StateReader<Value | Start> {
  let length = 0
  let settled: StateReading<unknown> = { value: state.initial, skipped: [] }
  let pending: Round[] = []
  /** The last round: it may still get results. */
  let open: Placed[] = []
  let current: StateReading<unknown> | undefined = settled

  /** The next reading begins where the last one ended. */
  function closeRound(): void {
    if (current) {
      settled = current
      pending = []
    } else if (open.length > 0) {
      pending.push(readRound(open))
    }
    open = []
  }

  function reading(): StateReading<Value | Start> {
    current ??= readRounds([readRound(open), ...pending.toReversed()], state, settled, options)
    return current as StateReading<Value | Start>
  }

  return {
    append(message) {
      const placed = placeMessage(message, length)
      length += 1
      const part = partOf(placed)
      if (part === 'apart') return
      if (part !== 'result') closeRound()
      if (part === 'boundary') return
      open.push(placed)
      current = undefined
    },
    value: () => reading().value,
    reading,
  }
}
