import {
  erasedText,
  type Message,
  readMessageName,
  readResultName,
  type ToolCall,
} from '@throughline/core/messages'
import { isCount, parseJsonObject } from '@throughline/core/values'
import type { ThreadKey } from '@throughline/stores/store'
import { promptActor } from './calls/calls.ts'
import { isHandEntry } from './log/hand-entry.ts'
import type { LoggedMessage } from './log/logged-message.ts'
import { type LogSource, readLog, threadId } from './log/read-log.ts'
import { rootOf } from './log/repeats.ts'

/** Where one thread has the text of a message. */
export interface ThreadCopies {
  readonly key: ThreadKey
  /** The message and its repeats, also those of the shared past. */
  readonly places: ReadonlySet<number>
  /** Entries that the thread has written, whose text goes: the message, its repeats, and what read them. */
  readonly messages: readonly number[]
  /** Entries that the thread has written, whose overlay words the message otherwise. */
  readonly versions: readonly number[]
}

/** A thread, and the place from which on its entries are its own. */
interface Line {
  readonly key: ThreadKey
  readonly from: number
  readonly parent?: string
}

/**
 * Where a conversation has the text of a message: on each branch that shares or repeats it, as a task or an answer in the
 * thread of another actor, as the result of a tool that read it, and as a client words it now.
 */
export async function copiesOf(
  source: LogSource,
  entry: LoggedMessage,
): Promise<readonly ThreadCopies[]> {
  const lines = await linesOf(source)
  const writer = lineOf(lines, source.key, entry.seq)
  const isCopy = (line: Line, other: LoggedMessage) =>
    rootOf(other) === rootOf(entry) ||
    (line !== writer &&
      repeatsText(other.reading, entry.reading, line.key.actor === source.key.actor))
  const repeats = new Map<Line, ReadonlySet<number>>()
  for (const line of lines) {
    const places = new Set<number>()
    for await (const other of readLog({ ...source, key: line.key }, { from: line.from }))
      if (!isHandEntry(other) && isCopy(line, other)) places.add(other.seq)
    repeats.set(line, places)
  }
  const copies: ThreadCopies[] = []
  for (const line of lines) {
    const places = placesIn(lines, line, repeats)
    if (places.size === 0) continue
    const { reads, versions } = await readersIn({ ...source, key: line.key }, line.from, places)
    copies.push({ key: line.key, places, messages: [...repeats.get(line)!, ...reads], versions })
  }
  return copies
}

/** The results of a thread that read one of these places, and the entries that word one of them otherwise. */
async function readersIn(source: LogSource, from: number, places: ReadonlySet<number>) {
  const reads: number[] = []
  const versions: number[] = []
  let calls: readonly ToolCall[] = []
  let next = 0
  for await (const { reading, seq, overlay } of readLog(source, { from })) {
    if (overlay?.versions?.some(([place]) => places.has(place))) versions.push(seq)
    if (reading.calls.length > 0) {
      calls = reading.calls
      next = 0
    }
    for (const { callId } of reading.results) {
      const call = callId === undefined ? calls[next] : calls.find(({ id }) => id === callId)
      next += 1
      if (call && places.has(placeRead(call) ?? 0)) reads.push(seq)
    }
  }
  return { reads: [...new Set(reads)].filter(seq => !places.has(seq)), versions }
}

/** The rounds of a thread in which the model read a message of a unit, by the place of the call. */
export async function readingRounds(
  source: LogSource,
  { first, last }: { readonly first: number; readonly last: number },
) {
  const rounds: number[] = []
  const isRead = (call: ToolCall) => {
    const place = placeRead(call) ?? 0
    return place >= first && place <= last
  }
  for await (const { reading, seq } of readLog(source, { from: last + 1 }))
    if (reading.calls.some(isRead)) rounds.push(seq)
  return rounds
}

/** The place that a call of one of our reading tools reads. */
function placeRead({ name, arguments: json }: ToolCall): number | undefined {
  if (name !== readMessageName && name !== readResultName) return undefined
  const place = parseJsonObject(json)?.place
  return isCount(place, 1) ? place : undefined
}

/** Whether a message of another thread has the text of a message: on a branch as the same message, elsewhere in any role. */
function repeatsText(other: Message, message: Message, isBranch: boolean): boolean {
  if (isBranch && other.role !== message.role) return false
  const texts = new Set(textsOf(message))
  return textsOf(other).some(text => texts.has(text))
}

/** The text of a message, and the long texts that its calls pass on. */
function textsOf({ text, calls }: Message): readonly string[] {
  const passed = calls.flatMap(call => Object.values(parseJsonObject(call.arguments) ?? {}))
  const long = passed.filter(
    (value): value is string => typeof value === 'string' && value.length >= leastPassed,
  )
  return [text, ...long].map(one => one.trim()).filter(one => one !== '' && one !== erasedText)
}

/** Shorter arguments may be the same by chance: `src/app.ts`. */
const leastPassed = 20

async function linesOf({ store, key }: LogSource): Promise<readonly Line[]> {
  const { tenant, conversation } = key
  const [info] = await store.conversations(tenant, { only: conversation })
  const lines: Line[] = []
  for (const { actor, branch } of info?.threads ?? []) {
    if (actor === promptActor) continue
    const thread = { tenant, conversation, actor, branch }
    const forkOf = (await store.head(thread))?.forkOf
    lines.push({
      key: thread,
      from: (forkOf?.at ?? 0) + 1,
      ...(forkOf && { parent: forkOf.branch }),
    })
  }
  return lines
}

const parentOf = (lines: readonly Line[], { key, parent }: Line) =>
  parent === undefined
    ? undefined
    : lines.find(line => threadId(line.key) === threadId({ ...key, branch: parent }))

/** The thread that has written the entry at a place of a thread. */
function lineOf(lines: readonly Line[], key: ThreadKey, seq: number): Line | undefined {
  let line = lines.find(one => threadId(one.key) === threadId(key))
  while (line && seq < line.from) line = parentOf(lines, line)
  return line
}

/** The places of a thread, with those of the past that it shares. */
function placesIn(
  lines: readonly Line[],
  line: Line,
  repeats: ReadonlyMap<Line, ReadonlySet<number>>,
): ReadonlySet<number> {
  const places = new Set(repeats.get(line))
  let { from } = line
  for (let parent = parentOf(lines, line); parent; parent = parentOf(lines, parent)) {
    for (const seq of repeats.get(parent)!) if (seq < from) places.add(seq)
    from = Math.min(from, parent.from)
  }
  return places
}
