import type { State } from './define-state.ts'
import { freeze } from './freeze.ts'
import type { Round, RoundResult } from './read-round.ts'
import { shorten } from './shorten.ts'
import {
  type ReadStateOptions,
  refusePromise,
  type SkipReason,
  type Taken,
  takeOwnResult,
} from './take-result.ts'

/** Where a value was found. `seq` is the place of the tool message, counted from 0. */
export interface StateEntry {
  readonly seq: number
  readonly tool: string
  readonly callId?: string
}

export interface SkippedResult {
  readonly seq: number
  readonly tool: string
  readonly reason: SkipReason
  readonly detail: string
}

export interface StateReading<Value> {
  readonly value: Value
  /** Where the value was found; for a folded state, the last result that went in. Absent without a result. */
  readonly entry?: StateEntry
  /** Results of the state's tools that could not be used, newest first. */
  readonly skipped: readonly SkippedResult[]
}

/** Continues the reading `before` with newer rounds, which come newest first. */
export function readRounds(
  rounds: Iterable<Round>,
  state: State<unknown>,
  before: StateReading<unknown>,
  options: ReadStateOptions,
): StateReading<unknown> {
  return state.fold
    ? foldRounds([...rounds].reverse(), state, before, options)
    : newest(rounds, state, before, options)
}

/** Stops at the first good result: older ones are not read. */
function newest(
  rounds: Iterable<Round>,
  state: State<unknown>,
  before: StateReading<unknown>,
  options: ReadStateOptions,
): StateReading<unknown> {
  const skipped: SkippedResult[] = []
  for (const round of rounds) {
    for (const stray of straysOf(round, state).reverse()) skipped.push(stray)
    for (const result of round.results.toReversed()) {
      if (!state.tools.includes(result.tool)) continue
      const taken = takeOwnResult(state, result, options)
      if (taken.reason === undefined) return { value: taken.value, entry: toEntry(result), skipped }
      skipped.push(toSkipped(result, taken.reason, taken.detail))
    }
  }
  return { ...before, skipped: [...skipped, ...before.skipped] }
}

function foldRounds(
  rounds: readonly Round[],
  state: State<unknown>,
  before: StateReading<unknown>,
  options: ReadStateOptions,
): StateReading<unknown> {
  let { value, entry } = before
  const skipped: SkippedResult[] = []
  for (const round of rounds) {
    for (const result of round.results) {
      if (!state.tools.includes(result.tool)) continue
      const taken = takeOwnResult(state, result, options)
      const folded = taken.reason === undefined ? fold(state, value, taken.value) : taken
      if (folded.reason !== undefined) {
        skipped.push(toSkipped(result, folded.reason, folded.detail))
        continue
      }
      value = folded.value
      entry = toEntry(result)
    }
    for (const stray of straysOf(round, state)) skipped.push(stray)
  }
  return { value, ...(entry && { entry }), skipped: [...skipped.reverse(), ...before.skipped] }
}

function fold(state: State<unknown>, previous: unknown, result: unknown): Taken {
  let value: unknown
  try {
    value = state.fold?.(previous, result)
  } catch (error) {
    return { reason: 'fold failed', detail: shorten(String(error)) }
  }
  if (refusePromise(value, 'fold', state.name) === undefined)
    return { reason: 'fold failed', detail: 'it gave no value' }
  return { value: freeze(value) }
}

function straysOf({ strays }: Round, state: State<unknown>): SkippedResult[] {
  return strays
    .filter(({ tool }) => state.tools.includes(tool))
    .map(stray => toSkipped(stray, 'no call', 'it answers no call of its round'))
}

function toSkipped({ seq, tool }: RoundResult, reason: SkipReason, detail: string): SkippedResult {
  return { seq, tool, reason, detail }
}

function toEntry({ seq, tool, callId }: RoundResult): StateEntry {
  return { seq, tool, ...(callId === undefined ? {} : { callId }) }
}
