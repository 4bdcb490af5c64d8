import type { TransferRecord } from '../../history/transfer/record.ts'
import type { MessageLike } from '../../log/message.ts'
import { parseMessage } from '../../log/parse-message.ts'
import type { StoredTurn } from '../../stores/store.ts'

export interface ToImport {
  readonly conversation: string
  readonly title: string
  readonly messages: readonly MessageLike[]
  /** The time of messages that have none. */
  readonly time: number
}

/** A list of messages as the lines of an export: a turn begins with each user message. The same list gives the same lines. */
export function toImportLines({ conversation, title, messages, time }: ToImport): readonly string[] {
  const read = messages.map((message, seq) => parseMessage(message, seq))
  let now = time
  const times = read.map(one => (now = Math.max(now, one.time ?? now)))
  const starts = read.flatMap(({ role }, at) =>
    role === 'user' && read[at - 1]?.role !== 'user' ? [at] : [],
  )
  const turns = starts.map((first, at): StoredTurn => {
    const last = (starts[at + 1] ?? read.length) - 1
    return {
      ...{ turn: at + 1, status: 'completed', first: first + 1, last: last + 1 },
      ...{ startedAt: times[first]!, endedAt: times[last]! },
    }
  })
  let turn = 0
  const records = read.flatMap(({ role }, at): TransferRecord[] => {
    const begun = turns[turn]
    const begins = begun?.first === at + 1
    if (begins) turn += 1
    const entry = { seq: at + 1, id: `${at + 1}`, turn, role, time: times[at]! }
    return [
      ...(begins ? [{ kind: 'turn', ...begun } as const] : []),
      { kind: 'entry', ...entry, payload: { value: { message: messages[at] } } },
    ]
  })
  return [
    { kind: 'conversation', throughline: 1, conversation, title } as const,
    { kind: 'thread', actor: 'assistant', branch: 'main' } as const,
    ...records,
    { kind: 'end', conversation, entries: messages.length } as const,
  ].map(record => JSON.stringify(record))
}
