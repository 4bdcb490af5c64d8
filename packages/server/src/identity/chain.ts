import { createHash, type Hash } from 'node:crypto'
import { createRests } from '@throughline/history/log'
import type { Mark, ThreadKey } from '@throughline/stores/store'
import { type Compared, isUser } from './agreement.ts'
import type { ListItem } from './item.ts'
import { markKinds } from './mark-kinds.ts'

/** The hashes by which a user message is found again. */
export interface Hashes {
  /** Of all messages up to it, with everything that the model reads. */
  readonly whole: string
  /** The same without details. Equal if there are none. */
  readonly words: string
  /** Of its words and those of the message before it. Finds a list whose beginning was cut off. Absent for the first message. */
  readonly pair?: string
  /** Of its words alone. Finds a list that begins with it. */
  readonly alone: string
}

export interface UserMarks extends Hashes {
  readonly item: number
  readonly index: number
}

/** The marks of the user messages from the item `from` on. `scope` keeps apart keys and named conversations. */
export async function marksOf(items: readonly ListItem[], scope: string, from = 0) {
  const cached = marked.get(items)
  if (cached?.scope === scope && cached.from <= from)
    return cached.marks.filter(({ item }) => item >= from)
  const chain = createChain(scope, items.slice(0, from))
  const marks: UserMarks[] = []
  const rest = createRests()
  for (let item = from; item < items.length; item++) {
    const hashes = chain.add(items[item]!)
    if (hashes) marks.push({ item, index: items[item]!.index, ...hashes })
    const pause = rest(items[item]!.text.length)
    if (pause) await pause
  }
  marked.set(items, { scope, from, marks })
  return marks
}

/** The marks of a list are searched first, and those that are new are saved then. */
const marked = new WeakMap<
  readonly ListItem[],
  { readonly scope: string; readonly from: number; readonly marks: readonly UserMarks[] }
>()

export function createChain(scope: string, past: readonly Compared[] = []) {
  const words = hashOf(scope, past, ({ text }) => text)
  let whole = past.some(hasDetails) ? hashOf(scope, past, exactOf) : undefined
  let before = past.at(-1)
  return {
    /** The hashes of an item; undefined if it is not of a user. */
    add(item: Compared): Hashes | undefined {
      const last = before
      before = item
      if (hasDetails(item)) whole ??= words.copy()
      words.update(framed(item.text))
      whole?.update(framed(exactOf(item)))
      if (!isUser(item)) return undefined
      const ofWords = short(words.copy())
      const alone = [scope, item.text]
      return {
        whole: whole ? short(whole.copy()) : ofWords,
        words: ofWords,
        alone: textHash(alone),
        ...(last && { pair: textHash([scope, last.text, item.text]) }),
      }
    },
  }
}

/** All that the model reads of an item, and of what stands directly before it. */
const exactOf = ({ exact, before = '' }: Compared) =>
  before === '' ? exact : `${exact}\n\n${before}`

const hasDetails = (item: Compared) => exactOf(item) !== item.text

const textHash = (texts: readonly string[]) => hashOfText(texts.map(framed).join(''))

export const hashOfText = (text: string): string => short(createHash('sha256').update(text))

/** The hash of what comes before. It goes on from the hash of a list that came lately, if that one began the same. */
function hashOf(
  scope: string,
  items: readonly Compared[],
  textOf: (item: Compared) => string,
): Hash {
  const past = items.map(textOf)
  if (past.length < shortList)
    return createHash('sha256').update([scope, ...past].map(framed).join(''))
  const begins = ({ scope: of, texts }: Hashed) =>
    of === scope && texts.length <= past.length && texts.every((text, at) => text === past[at])
  const at = hashed.findIndex(begins)
  const [cached] = at < 0 ? [] : hashed.splice(at, 1)
  const fresh = past.slice(cached?.texts.length ?? 0)
  // At once, because there may be thousands.
  const text = fresh.map(framed).join('')
  const hash = cached?.hash.copy().update(text) ?? createHash('sha256').update(framed(scope) + text)
  const size = (cached?.size ?? 0) + text.length
  if (size <= mostCharacters) hashed.unshift({ scope, texts: past, hash: hash.copy(), size })
  hashed.splice(mostLists)
  return hash
}

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
const mostCharacters = 1_000_000
/** Shorter ones are hashed faster than they are found. */
const shortList = 64

/** The mark of a call that the server gave a client: its id tells sessions of equal words apart. */
export const callMark = (scope: string, id: string): string =>
  markKinds.call + textHash([scope, id])

export const scopeOf = (keyId: string, named?: ThreadName): string =>
  named ? [keyId, named.conversation, named.actor].join('\n') : keyId

export function lastUsers(items: readonly ListItem[], count: number): number {
  let item = items.length
  for (let users = 0; item > 0 && users < count; item--) if (isUser(items[item - 1]!)) users += 1
  return item
}

/** How the beginning of a list agrees with its thread: in all; with something left out; unknown, as the client cut it off. */
export type Front = 'same' | 'less' | 'cut'

/** The names by which a user message is looked up in the store. */
export const markNames = {
  /** A list that agrees with the thread in everything. */
  whole: ({ whole }: Hashes) => [markKinds.whole + whole],
  /** A list from which its client has left something out. */
  less: ({ whole }: Hashes) => [markKinds.less + whole],
  // A list without details has no mark of its words but that of its whole.
  words: ({ words }: Hashes) => [markKinds.words + words, markKinds.whole + words] as const,
  pair: ({ pair }: Hashes) => (pair === undefined ? [] : [markKinds.pair + pair]),
  alone: ({ alone }: Hashes) => [markKinds.alone + alone],
}

export function markTexts(hashes: Hashes, front: Front): readonly string[] {
  const { whole, less, words, pair, alone } = markNames
  const texts = [...alone(hashes), ...pair(hashes)]
  if (front === 'cut') return texts
  const agreeing = [...texts, ...(front === 'same' ? whole(hashes) : less(hashes))]
  // A list without details is found by the hash of its words anyway.
  return front === 'same' && hashes.whole === hashes.words
    ? agreeing
    : [...agreeing, words(hashes)[0]]
}

/** The marks of the messages `from` to `to` of the client's list, of which the first is kept at the place `at`. */
export const marksToSave = (
  marks: readonly UserMarks[],
  front: Front,
  { from, to, at }: { readonly from: number; readonly to: number; readonly at: number },
): readonly Mark[] =>
  marks
    .filter(({ index }) => index >= from && index < to)
    .flatMap(one => markTexts(one, front).map(mark => ({ mark, at: at + one.index - from })))

/** All branches of a thread. */
export type ThreadName = Pick<ThreadKey, 'conversation' | 'actor'>

/** The length keeps apart texts that read the same when joined. */
const framed = (text: string) => `${text.length}:${text}`

const short = (hash: ReturnType<typeof createHash>) => hash.digest('base64url').slice(0, 22)
