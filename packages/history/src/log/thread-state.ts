import type { MessageLike } from '@throughline/core/messages'
import {
  type ReadStateOptions,
  readRounds,
  roundsFromEnd,
  type State,
  type StateReading,
} from '@throughline/core/state'
import { type LogSource, readLog } from './read-log.ts'

export interface StateOptions extends ReadStateOptions {
  /** The state as it was when this entry was the last. */
  readonly at?: number
}

/** An earlier reading of a state, which a later reading goes on from. */
export interface StateBefore {
  readonly at: number
  readonly reading: StateReading<unknown>
}

/** Most states without a fold are found near the end; each further look goes twice as far back. */
const firstPage = 64

/** Reads a state from the log's end as far back as needed. Places count from 0, among all messages. */
export async function readThreadState<Value, Start extends Value | undefined>(
  source: LogSource,
  state: State<Value, Start>,
  { at, ...options }: StateOptions = {},
  before: StateBefore = { at: 0, reading: { value: state.initial, skipped: [] } },
): Promise<StateReading<Value | Start>> {
  const messages: MessageLike[] = []
  let page = state.fold ? Number.POSITIVE_INFINITY : firstPage
  let start = at ?? (await source.store.head(source.key))?.head ?? 0
  /** Reads the messages so far. Places are shifted, but for those of the earlier reading, which are right already. */
  const read = () => {
    const earlier = { ...before.reading, skipped: [] }
    const reading = readRounds(roundsFromEnd(messages.toReversed()), state, earlier, options)
    const { entry } = reading
    const isNew = entry !== undefined && entry !== before.reading.entry
    const skipped = reading.skipped.map(one => ({ ...one, seq: one.seq + start }))
    return {
      ...(reading as StateReading<Value | Start>),
      ...(isNew && { entry: { ...entry, seq: entry.seq + start } }),
      skipped: isNew && !state.fold ? skipped : [...skipped, ...before.reading.skipped],
    }
  }
  for await (const { message, seq } of readLog(source, {
    from: before.at + 1,
    to: start,
    reverse: true,
  })) {
    messages.push(message)
    start = seq - 1
    // A round is read to its beginning: the call stands before its results.
    if (messages.length < page || message.role === 'tool' || message.role === 'assistant_note')
      continue
    const reading = read()
    if (reading.entry && reading.entry !== before.reading.entry) return reading
    page *= 2
  }
  return read()
}
