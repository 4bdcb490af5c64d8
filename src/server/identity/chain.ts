import { createHash } from 'node:crypto'
import type { MessageLike } from '../../log/message.ts'
import type { Mark } from '../../stores/store.ts'
import { itemOf } from './item.ts'

/** A message of a client that is compared with the log. */
export interface Item {
  /** Its place in the list of the client. */
  readonly index: number
  readonly text: string
}

export const itemsOf = (messages: readonly MessageLike[]): readonly Item[] =>
  messages.flatMap((message, index) => {
    const text = itemOf(message, index)
    return text === undefined ? [] : [{ index, text }]
  })

export const isUser = ({ text }: Item): boolean => text.startsWith('user:')

/** The marks of a user message: one of all messages up to it, and one of it and the message before it alone. */
export interface UserMarks {
  /** The number of its item. */
  readonly item: number
  /** Its place in the list of the client. */
  readonly index: number
  readonly whole: string
  /** Finds a list whose beginning the client has cut off. Absent for the first message. */
  readonly pair?: string
}

/**
 * The marks of the user messages from the item `from` on. `scope` keeps apart what must never be taken for one another:
 * keys of different people, conversations with names of their own.
 */
export function marksOf(items: readonly Item[], scope: string, from = 0): readonly UserMarks[] {
  // What comes before is hashed at once: a client may send thousands of messages each time.
  const past = items.slice(0, from).map(({ text }) => framed(text))
  const chain = createHash('sha256').update(framed(scope) + past.join(''))
  const marks: UserMarks[] = []
  for (let item = from; item < items.length; item++) {
    const { text, index } = items[item]!
    chain.update(framed(text))
    if (!isUser(items[item]!)) continue
    const before = items[item - 1]
    const pair = before && createHash('sha256').update([scope, before.text, text].map(framed).join(''))
    marks.push({ item, index, whole: `c${short(chain.copy())}`, ...(pair && { pair: `p${short(pair)}` }) })
  }
  return marks
}

/** The item from which on there are so many user messages. */
export function lastUsers(items: readonly Item[], count: number): number {
  let item = items.length
  for (let found = 0; item > 0 && found < count; item--) if (isUser(items[item - 1]!)) found += 1
  return item
}

/** The marks to keep. `placeOf`: where a message of the client's list is kept; undefined if it is not. */
export const marksToSave = (
  marks: readonly UserMarks[],
  placeOf: (index: number) => number | undefined,
): readonly Mark[] =>
  marks.flatMap(({ index, whole, pair }) => {
    const at = placeOf(index)
    if (at === undefined) return []
    return [{ mark: whole, at }, ...(pair === undefined ? [] : [{ mark: pair, at }])]
  })

/** The length keeps apart texts that read the same when joined. */
const framed = (text: string) => `${text.length}:${text}`

const short = (hash: ReturnType<typeof createHash>) => hash.digest('base64url').slice(0, 22)
