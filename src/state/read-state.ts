import { InvalidOptionError } from '../log/error.ts'
import type { MessageLike } from '../log/message.ts'
import type { State } from './define-state.ts'
import { roundsFromEnd } from './read-round.ts'
import { readRounds, type StateReading } from './read-rounds.ts'
import { type ReadStateOptions, takeOwnResult } from './take-result.ts'

/**
 * Finds a state in a conversation: the newest good result of the state's tools, or all of them folded. Pass the full log,
 * never a context that was cut to fit a window. Unusable results are reported in `skipped`.
 *
 * @example
 * const { value, skipped } = readState(messages, hypothesis)
 */
export function readState<Value, Start extends Value | undefined>(
  messages: readonly MessageLike[],
  state: State<Value, Start>,
  options: ReadStateOptions = {},
): StateReading<Value | Start> {
  if (!Array.isArray(messages))
    throw new InvalidOptionError('messages', 'expected the list of messages to read the state from')
  const reading = readRounds(roundsFromEnd(messages), state, { value: state.initial, skipped: [] }, options)
  return reading as StateReading<Value | Start>
}

/** Whether there is a good result at `seq` or after it, which is newer than a value remembered there. */
export function hasResultSince(
  messages: readonly MessageLike[],
  state: State<unknown>,
  seq: number,
  options: ReadStateOptions = {},
): boolean {
  for (const round of roundsFromEnd(messages)) {
    const newer = round.results.filter(result => result.seq >= seq && state.tools.includes(result.tool))
    if (newer.some(result => takeOwnResult(state, result, options).reason === undefined)) return true
    if (round.seq < seq) return false
  }
  return false
}
