import { InvalidOptionError } from '../log/error.ts'
import type { MessageLike } from '../log/message.ts'
import type { State } from './define-state.ts'
import { freeze } from './freeze.ts'
import {
  type Placed,
  partOf,
  placeMessage,
  readRound,
  roundsFromEnd,
  type ToolRound,
} from './read-round.ts'
import type { ReadStateOptions, SkipReason, Taken } from './take-result.ts'
import { refusePromise, shorten, takeOwnResult } from './take-result.ts'

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
  const reading = readRounds(
    roundsFromEnd(messages),
    state,
    { value: state.initial, skipped: [] },
    options,
  )
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
    const newer = round.results.filter(
      result => result.seq >= seq && state.tools.includes(result.tool),
    )
    if (newer.some(result => takeOwnResult(state, result, options).reason === undefined))
      return true
    if (round.seq < seq) return false
  }
  return false
}

/** Where a value was found. `seq` is the place of the tool message, counted from 0. */
export interface StateEntry {
  /** The place of the tool message. */
  readonly seq: number
  /** The tool that gave the result. */
  readonly tool: string
  /** The id of the call, where the message has one. */
  readonly callId?: string
}

/** A result of one of the state's tools that gave no value. */
export interface SkippedResult {
  /** The place of the tool message, counted from 0. */
  readonly seq: number
  /** The tool that gave it. */
  readonly tool: string
  /** Why, for a program. */
  readonly reason: SkipReason
  /** Why, for a person: what the schema said, for example. */
  readonly detail: string
}

/** A value, and where it comes from. */
export interface StateReading<Value> {
  /** The newest value; `initial` while there is none. */
  readonly value: Value
  /** Where the value was found; for a folded state, the last result that went in. Absent without a result. */
  readonly entry?: StateEntry
  /** Results of the state's tools that could not be used, newest first. */
  readonly skipped: readonly SkippedResult[]
}

/** Continues a reading with newer rounds, newest first. A fold takes all results, oldest first; else the newest good one wins. */
export function readRounds(
  rounds: Iterable<ToolRound>,
  state: State<unknown>,
  before: StateReading<unknown>,
  options: ReadStateOptions,
): StateReading<unknown> {
  const isFolded = state.fold !== undefined
  let { value, entry } = before
  const skipped: SkippedResult[] = []
  for (const { results } of isFolded ? [...rounds].reverse() : rounds) {
    for (const result of isFolded ? results : results.toReversed()) {
      const { seq, tool, callId } = result
      if (!state.tools.includes(tool)) continue
      const latest = takeOwnResult(state, result, options)
      const taken = latest.reason === undefined ? fold(state, value, latest.value) : latest
      if (taken.reason !== undefined) {
        skipped.push({ seq, tool, reason: taken.reason, detail: taken.detail })
        continue
      }
      value = taken.value
      entry = { seq, tool, callId }
      if (!isFolded) return { value, entry, skipped }
    }
  }
  if (isFolded) skipped.reverse()
  return { value, ...(entry && { entry }), skipped: [...skipped, ...before.skipped] }
}

function fold(state: State<unknown>, previous: unknown, result: unknown): Taken {
  if (!state.fold) return { value: result }
  let value: unknown
  try {
    value = state.fold(previous, result)
  } catch (error) {
    return { reason: 'fold failed', detail: shorten(error) }
  }
  if (refusePromise(value, 'fold', state.name) === undefined)
    return { reason: 'fold failed', detail: 'it gave no value' }
  return { value: freeze(value) }
}

/** Reads a state while a conversation grows, at the price of the new messages. */
export interface StateReader<Value> {
  /** Adds the next message of the conversation. */
  append(message: MessageLike): void
  /** The newest value, or the state's `initial`. */
  value(): Value
  /** The value, where it was found, and which results were skipped. */
  reading(): StateReading<Value>
}

/** `readState` along a growing conversation, at the price of the new messages. Validates nothing before it is read. */
export function createStateReader<Value, Start extends Value | undefined>(
  state: State<Value, Start>,
  options: ReadStateOptions = {},
): StateReader<Value | Start> {
  let length = 0
  let settled: StateReading<unknown> = { value: state.initial, skipped: [] }
  let pending: ToolRound[] = []
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
