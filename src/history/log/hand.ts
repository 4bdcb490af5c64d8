import { isCount } from '../../log/is-count.ts'
import type { MessageLike } from '../../log/message.ts'
import { isObject } from '../../log/parse-json.ts'
import { brokenOff } from '../../log/round.ts'

const acts = ['pin', 'hide', 'free', 'erase'] as const

/** What a person has done with the message at a place: it is always sent, never, or as before; or its text is gone. */
export interface Hand {
  readonly does: (typeof acts)[number]
  readonly seq: number
}

/** Why the receipt does not send an entry that only says what a person has done. */
const handReason = 'only says what you did with a message'

/** The message of such an entry: a result that answers no call, which is never sent. */
export const handMessage: MessageLike = { ...brokenOff, tool_name: handReason }

/** Whether an entry says nothing but what a person has done. */
export const isHandEntry = ({ message }: { readonly message: MessageLike }): boolean =>
  message.tool_name === handReason

/** Whether an entry says that the text of another one is gone. */
export const isErasure = ({ role, payload }: { readonly role: string; readonly payload: string }): boolean =>
  role === 'tool' && payload.includes(handReason) && payload.includes('"does":"erase"')

export const isHands = (value: unknown): value is readonly Hand[] =>
  Array.isArray(value) &&
  value.every(hand => isObject(hand) && acts.includes(hand.does as Hand['does']) && isCount(hand.seq, 1))

/** The hands of a log, each with the place of the entry that has them. */
export type PlacedHands = readonly (readonly [seq: number, hands: readonly Hand[]])[]

/** What a person wants of a conversation: the places of messages that are always sent, and of those that are never. */
export interface HandState {
  readonly pinned: readonly number[]
  readonly hidden: readonly number[]
}

/** What holds when an entry is the last. Of two hands on one message the later counts. `isNow`: what was done since holds too. */
export function handsAt(placed: PlacedHands, at = Number.POSITIVE_INFINITY, isNow = false): HandState {
  const latest = new Map<number, Hand['does']>()
  for (const [place, hands] of placed)
    if (isNow || place <= at)
      for (const { does, seq } of hands) if (does !== 'erase' && seq <= at) latest.set(seq, does)
  const placesOf = (wanted: Hand['does']) =>
    [...latest].flatMap(([seq, does]) => (does === wanted ? [seq] : [])).sort((a, b) => a - b)
  return { pinned: placesOf('pin'), hidden: placesOf('hide') }
}

/** What a branch takes along of what was done after the place where it begins, about messages that it shares. */
export function carriedHands(placed: PlacedHands, at: number): readonly Hand[] {
  const before = handsAt(placed, at)
  const after = handsAt(placed)
  const shared = (seqs: readonly number[]) => seqs.filter(seq => seq <= at)
  const [pinned, hidden] = [new Set(after.pinned), new Set(after.hidden)]
  return [
    ...shared(after.pinned).map(seq => ({ does: 'pin', seq }) as const),
    ...shared(after.hidden).map(seq => ({ does: 'hide', seq }) as const),
    ...[...before.pinned, ...before.hidden]
      .filter(seq => !pinned.has(seq) && !hidden.has(seq))
      .map(seq => ({ does: 'free', seq }) as const),
  ]
}
