import { createHash, type Hash } from 'node:crypto'
import type { MessageLike } from '../../log/message.ts'
import type { Mark, ThreadKey } from '../../stores/store.ts'
import { itemOf } from './item.ts'

/** A message of a client that is compared with the log. */
export interface Item {
  /** Its place in the list of the client. */
  readonly index: number
  readonly text: string
}

export function itemsOf(messages: readonly MessageLike[]): readonly Item[] {
  const items: Item[] = []
  for (const [index, message] of messages.entries()) {
    const text = itemOf(message, index)
    if (text !== undefined) items.push({ index, text })
  }
  return items
}

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
  const known = marked.get(items)
  if (known?.scope === scope && known.from <= from) return known.marks.filter(({ item }) => item >= from)
  const past = items.slice(0, from).map(({ text }) => text)
  const chain = createChain(scope, past)
  const marks: UserMarks[] = []
  for (let item = from; item < items.length; item++) {
    const found = chain.add(items[item]!.text)
    if (found) marks.push({ item, index: items[item]!.index, ...found })
  }
  marked.set(items, { scope, from, marks })
  return marks
}

/** The marks of a list are searched first, and those that are new are saved then. */
const marked = new WeakMap<
  readonly Item[],
  { readonly scope: string; readonly from: number; readonly marks: readonly UserMarks[] }
>()

/** Makes the marks of items one by one. */
export function createChain(scope: string, past: readonly string[] = []) {
  const chain = hashOf(scope, past)
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

/** The hash of what comes before. It goes on from the hash of a list that came lately, if that one began the same. */
function hashOf(scope: string, past: readonly string[]): Hash {
  if (past.length < shortList) return createHash('sha256').update([scope, ...past].map(framed).join(''))
  const begins = ({ scope: of, texts }: Hashed) =>
    of === scope && texts.length <= past.length && texts.every((text, at) => text === past[at])
  const at = hashed.findIndex(begins)
  const [known] = at < 0 ? [] : hashed.splice(at, 1)
  const fresh = past.slice(known?.texts.length ?? 0)
  // At once, because there may be thousands.
  const text = fresh.map(framed).join('')
  const hash = known?.hash.copy().update(text) ?? createHash('sha256').update(framed(scope) + text)
  const size = (known?.size ?? 0) + text.length
  if (size <= mostCharacters) hashed.unshift({ scope, texts: past, hash: hash.copy(), size })
  hashed.splice(mostLists)
  return hash
}

/** A list that was hashed. */
interface Hashed {
  readonly scope: string
  readonly texts: readonly string[]
  readonly hash: Hash
  /** The characters of all its texts. */
  readonly size: number
}

/** The newest first. */
const hashed: Hashed[] = []
const mostLists = 64
/** Longer ones are not remembered. */
const mostCharacters = 1_000_000
/** Shorter ones are hashed faster than they are found. */
const shortList = 64

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
