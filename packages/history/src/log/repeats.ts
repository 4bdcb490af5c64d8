import { type Message, readMessage } from '@throughline/core/messages'
import type { HandState } from './hand.ts'
import { type Hand, isHandEntry } from './hand-entry.ts'
import { asSeen, isSeen, type LoggedMessage, type TurnMessage, wholeOf } from './logged-message.ts'
import { type LogSource, listLog, readLog } from './read-log.ts'

/** The id that a message has in common with all entries that repeat it on other branches. */
export const rootOf = ({ id, repeats = id }: Pick<LoggedMessage, 'id' | 'repeats'>): string =>
  repeats

/** Where a branch leaves another one. */
export interface ForkPlace {
  readonly source: LogSource
  readonly at: number
}

/** The first messages of a branch, with the ids of those that they repeat of the line that it leaves. */
export async function markRepeats(
  messages: readonly TurnMessage[],
  { source, at }: ForkPlace,
): Promise<readonly TurnMessage[]> {
  if (messages.some(message => isSeen(message) && message.repeats !== undefined)) return messages
  const logged = await listLog(source, { from: at + 1, to: at + messages.length })
  const end = messages.findIndex(
    (message, n) => !logged[n] || !isSame(readMessage(wholeOf(message), n), logged[n].reading),
  )
  const repeated = end < 0 ? messages.length : end
  return messages.map((message, n) =>
    n < repeated ? { ...asSeen(message), repeats: rootOf(logged[n]!) } : message,
  )
}

const isSame = (one: Message, other: Message): boolean =>
  one.role === other.role &&
  one.text.trim() !== '' &&
  one.text === other.text &&
  one.calls.length === other.calls.length

/** What a person has done with messages that others repeat, for the places of these, counted from `first`. */
export async function repeatedHands(
  messages: readonly TurnMessage[],
  first: number,
  { source, at }: ForkPlace,
  { pinned, hidden }: HandState,
): Promise<readonly Hand[]> {
  const acts = new Map<number, Hand['does']>()
  for (const seq of pinned) if (seq > at) acts.set(seq, 'pin')
  for (const seq of hidden) if (seq > at) acts.set(seq, 'hide')
  const actOf = new Map<string, Hand['does']>()
  for (const [seq, does] of acts)
    for await (const entry of readLog(source, { from: seq, to: seq }))
      if (!isHandEntry(entry)) actOf.set(rootOf(entry), does)
  return messages.flatMap((message, n) => {
    const repeats = isSeen(message) ? message.repeats : undefined
    const does = repeats === undefined ? undefined : actOf.get(repeats)
    return does ? [{ does, seq: first + n }] : []
  })
}
