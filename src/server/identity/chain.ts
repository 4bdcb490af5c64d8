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
  readonly whole: string
  /** Finds a list whose beginning the client has cut off. Absent for the first message. */
  readonly pair?: string
}

/**
 * The marks of the user messages from the item `from` on. `scope` keeps apart what must never be taken for one another:
 * keys of different people, conversations with names of their own.
 */
export function marksOf(items: readonly Item[], scope: string, from = 0): readonly UserMarks[] {
  const chain = createHash('sha256').update(framed(scope))
  const marks: UserMarks[] = []
  for (const [item, one] of items.entries()) {
    chain.update(framed(one.text))
    if (item < from || !isUser(one)) continue
    const before = items[item - 1]
    marks.push({
      item,
      whole: `c${short(chain.copy())}`,
      ...(before && {
        pair: `p${short(createHash('sha256').update(framed(scope)).update(framed(before.text)).update(framed(one.text)))}`,
      }),
    })
  }
  return marks
}

/** The marks to keep once messages stand in the log. `seqOf`: the place of an item there. */
export const marksToSave = (
  marks: readonly UserMarks[],
  seqOf: (item: number) => number | undefined,
): readonly Mark[] =>
  marks.flatMap(({ item, whole, pair }) => {
    const at = seqOf(item)
    if (at === undefined) return []
    return [{ mark: whole, at }, ...(pair === undefined ? [] : [{ mark: pair, at }])]
  })

/** The length keeps apart texts that read the same when joined. */
const framed = (text: string) => `${text.length}:${text}`

const short = (hash: ReturnType<typeof createHash>) => hash.digest('base64url').slice(0, 22)
