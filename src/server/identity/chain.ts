import { createHash } from 'node:crypto'
import type { MessageLike } from '../../log/message.ts'
import type { Mark, ThreadKey } from '../../stores/store.ts'
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

export const isUser = ({ text }: Item): boolean => isUsers(text)

const isUsers = (text: string) => text.startsWith('user:')

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
  const past = items.slice(0, from).map(({ text }) => text)
  const chain = createChain(scope, past)
  const marks: UserMarks[] = []
  for (let item = from; item < items.length; item++) {
    const found = chain.add(items[item]!.text)
    if (found) marks.push({ item, index: items[item]!.index, ...found })
  }
  return marks
}

/** Makes the marks of items one by one. */
export function createChain(scope: string, past: readonly string[] = []) {
  // What comes before is hashed at once: a client may send thousands of messages each time.
  const chain = createHash('sha256').update([scope, ...past].map(framed).join(''))
  let before = past.at(-1)
  return {
    /** The marks of an item; undefined if it is not of a user. */
    add(text: string): Pick<UserMarks, 'whole' | 'pair'> | undefined {
      const last = before
      before = text
      chain.update(framed(text))
      if (!isUsers(text)) return undefined
      const whole = `c${short(chain.copy())}`
      if (last === undefined) return { whole }
      const pair = createHash('sha256').update([scope, last, text].map(framed).join(''))
      return { whole, pair: `p${short(pair)}` }
    },
  }
}

/** The scope of a key's marks, within the conversation that its client names. */
export const scopeOf = (keyId: string, named?: Pick<ThreadKey, 'conversation' | 'actor'>): string =>
  named ? [keyId, named.conversation, named.actor].join('\n') : keyId

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
