import { brokenOff, type MessageLike } from '@throughline/core/messages'
import { isCount, isObject } from '@throughline/core/values'

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
export const isErasure = ({
  role,
  payload,
}: {
  readonly role: string
  readonly payload: string
}): boolean => role === 'tool' && payload.includes(handReason) && payload.includes('"does":"erase"')

export const isHands = (value: unknown): value is readonly Hand[] =>
  Array.isArray(value) &&
  value.every(
    hand => isObject(hand) && acts.includes(hand.does as Hand['does']) && isCount(hand.seq, 1),
  )
