import type { MessageLike } from '../log/message.ts'
import { type ReadStateOptions, readState, type State, type StateReading } from '../state/index.ts'
import { type LogSource, readLog } from './log/read-log.ts'

export interface StateOptions extends ReadStateOptions {
  /** The state as it was when this entry was the last. */
  readonly at?: number
}

/** A state that has no fold is mostly near the end; each further look goes twice as far back. */
const firstPage = 64

/**
 * The state of a thread, read from the full log, from its end, as far back as it takes. Places in the reading are those
 * of the list of all messages, counted from 0.
 */
export async function readThreadState<Value, Start extends Value | undefined>(
  source: LogSource,
  state: State<Value, Start>,
  { at, ...options }: StateOptions = {},
): Promise<StateReading<Value | Start>> {
  const messages: MessageLike[] = []
  let page = state.fold ? Number.POSITIVE_INFINITY : firstPage
  let start = at ?? (await source.store.head(source.key))?.head ?? 0
  for await (const { message, seq } of readLog(source, { to: start, reverse: true })) {
    messages.push(message)
    start = seq - 1
    // A round is read whole: its call stands before its results.
    if (messages.length < page || message.role === 'tool' || message.role === 'assistant_note') continue
    const reading = readState(messages.toReversed(), state, options)
    if (reading.entry) return shifted(reading, start)
    page *= 2
  }
  return shifted(readState(messages.toReversed(), state, options), start)
}

function shifted<Value>(reading: StateReading<Value>, by: number): StateReading<Value> {
  if (by === 0) return reading
  const { entry, skipped } = reading
  return {
    ...reading,
    ...(entry && { entry: { ...entry, seq: entry.seq + by } }),
    skipped: skipped.map(one => ({ ...one, seq: one.seq + by })),
  }
}
