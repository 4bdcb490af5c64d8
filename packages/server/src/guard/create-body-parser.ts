import {
  behindSpace,
  comma,
  type ElementEnd,
  type JsonLimits,
  type Look,
  lookAt,
  noJson,
  parseBody,
  parseText,
  type SeenList,
  spaces,
} from '@throughline/core/fields'

/**
 * Parses bodies of which most begin like an earlier one: a client sends its whole conversation each time. The messages that
 * an earlier body had are not parsed again: they are the same objects, so that caches by object work. Only bodies of the same
 * owner are compared, so that the time of an answer tells nothing about other owners.
 *
 * What is kept ends behind a whole message, and is part of a body that was valid. So a body that begins with it is valid if what
 * follows is: a comma and more messages, or the end of the list, and fields around it that `JSON.parse` reads with an empty list.
 */
export function createBodyParser(
  limits: JsonLimits,
  { leastBytes = 16 * 1024, mostBytes = 32 * 1024 ** 2 } = {},
): BodyParser {
  /** The newest first. */
  let bodies: PastBody[] = []
  let size = 0

  function keep(one: PastBody, before?: PastBody): void {
    const at = before ? bodies.indexOf(before) : -1
    if (at >= 0) size -= bodies.splice(at, 1)[0]!.bytes.length
    bodies.unshift(one)
    size += one.bytes.length
    while (size > mostBytes || bodies.length > mostBodies) size -= bodies.pop()!.bytes.length
  }

  return {
    *parse(bytes, owner) {
      if (bytes.length < leastBytes) return parseBody(bytes, limits)
      const kept = bodies
      const before = longest(bytes, owner, kept)
      const rest = before && (yield* parseRest(bytes, before, limits))
      const { body, list } = rest ?? (yield* parseWhole(bytes, limits))
      // Only the end of a message is a place to go on from. Unless all were forgotten meanwhile.
      if (list && list.messages.length > 0 && bodies === kept)
        keep({ ...list, owner, bytes }, before && isSame(before) ? before.earlier : undefined)
      return body
    },
    forget() {
      bodies = []
      size = 0
    },
  }
}

export interface BodyParser {
  /** Yields between pieces of a long body. */
  parse(bytes: Buffer, owner: string): Generator<void, unknown>
  /** Forgets all bodies: they hold what was said in conversations that may be deleted. */
  forget(): void
}

const mostBodies = 64

/** A conversation in the body of an earlier request. */
interface PastBody extends BodyList {
  readonly owner: string
  readonly bytes: Buffer
}

/** The list of a body with its messages, and the look up to the end of the last one. */
interface BodyList extends SeenList {
  readonly messages: readonly unknown[]
  /** Where the list ends in its bytes, and the whole body. */
  readonly end: number
  readonly body: object
}

/** The first messages of an earlier body that the new one begins with. */
interface SharedMessages {
  readonly earlier: PastBody
  readonly count: number
  readonly end: ElementEnd
}

/** The earlier body that shares most messages with this one. Undefined if none shares a whole message. */
function longest(
  bytes: Buffer,
  owner: string,
  all: readonly PastBody[],
): SharedMessages | undefined {
  let best: SharedMessages | undefined
  for (const earlier of all) {
    const shared = earlier.owner === owner ? sharedWith(bytes, earlier) : undefined
    if (shared && shared.end.at > (best?.end.at ?? 0)) best = shared
  }
  return best
}

/** Claude Code moves its cache marks from message to message, so that an earlier list may differ shortly before its end. */
function sharedWith(bytes: Buffer, earlier: PastBody): SharedMessages | undefined {
  const { from, to, ends, messages } = earlier
  const isEqual = (start: number, end: number) =>
    bytes.length > end && bytes.compare(earlier.bytes, start, end, start, end) === 0
  if (!isEqual(0, from)) return undefined
  if (isEqual(from, to.at)) return { earlier, count: messages.length, end: to }
  let [low, high] = [0, ends.length]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (isEqual(low === 0 ? from : ends[low - 1]!.at, ends[middle - 1]!.at)) low = middle
    else high = middle - 1
  }
  return low === 0 ? undefined : { earlier, count: low, end: ends[low - 1]! }
}

/** Whether it is the same conversation that goes on, and not one that only begins the same. */
const isSame = ({ earlier: { from, to }, end }: SharedMessages) =>
  (end.at - from) * 2 >= to.at - from

/** Without `list` where the body has none, or has two fields of one name. */
function* parseWhole(bytes: Buffer, limits: JsonLimits) {
  const { list, commas } = yield* lookAt(bytes, limits)
  const outside = list && parseOutside(bytes, list.from, list.to.at)
  if (!list || !isPlain(outside, commas) || !Array.isArray(outside[list.name]))
    return { body: parseText(bytes.toString('utf8')), list: undefined }
  return withMessages(bytes, list, outside, yield* messagesIn(bytes, list.from, list))
}

/** Parses what follows the messages that are known. Undefined where the whole must be looked at. */
function* parseRest(
  bytes: Buffer,
  { earlier, count, end: start }: SharedMessages,
  limits: JsonLimits,
) {
  const ends = earlier.ends.slice(
    0,
    count === earlier.messages.length ? earlier.ends.length : count - 1,
  )
  const before = { ...earlier.to, ...start, list: { ...earlier, ends } }
  const { list, commas } = yield* lookAt(bytes, limits, before)
  // Not the list itself, if the body has another one of its name.
  if (!list || list.from !== earlier.from) return undefined
  const { at: end } = list.to
  const next = behindSpace(bytes, start.at)
  if (next !== end && bytes[next] !== comma) return undefined
  const outside = fieldsOf(bytes, earlier, end)
  if (!isPlain(outside, commas)) return undefined
  const fresh = next === end ? [] : yield* messagesIn(bytes, next + 1, list)
  return withMessages(bytes, list, outside, [...earlier.messages.slice(0, count), ...fresh])
}

/** A body of its parts, and its list as it is kept. */
function withMessages(
  bytes: Buffer,
  list: SeenList,
  outside: object,
  messages: readonly unknown[],
) {
  const body = { ...outside, [list.name]: messages }
  return {
    body,
    list: { ...list, to: withoutSpace(bytes, list.to), messages, end: list.to.at, body },
  }
}

/** The fields of a body beside its messages: the objects of the earlier body, if their bytes are the same. */
function fieldsOf(
  bytes: Buffer,
  { bytes: before, end: tail, body, from }: PastBody,
  end: number,
): unknown {
  if (bytes.compare(before, tail, before.length, end) === 0) return body
  return parseOutside(bytes, from, end)
}

/** What stands around a list. */
const parseOutside = (bytes: Buffer, from: number, end: number): unknown =>
  parseText(bytes.toString('utf8', 0, from) + bytes.toString('utf8', end))

/** The elements of a list from a place on, parsed in pieces. */
function* messagesIn(bytes: Buffer, start: number, { from, to, cuts }: SeenList) {
  const pieces: (readonly unknown[])[] = []
  let next = start
  for (const end of [...cuts.filter(cut => cut > start), to.at]) {
    if (pieces.length > 0) yield
    const piece = parseText(`[${bytes.toString('utf8', next, end)}]`) as readonly unknown[]
    const isEmptyList = next === from && end === to.at
    if (piece.length === 0 && !isEmptyList) throw noJson()
    pieces.push(piece)
    next = end + 1
  }
  return pieces.flat()
}

/** Whether every field of a body has a name of its own, so that each is where it was seen. */
const isPlain = (body: unknown, commas: number): body is Readonly<Record<string, unknown>> =>
  typeof body === 'object' && body !== null && Object.keys(body).length === commas + 1

/** A list may end otherwise than it goes on: the space before its bracket is not part of it. */
function withoutSpace(bytes: Buffer, look: Look): Look {
  let { at } = look
  while (spaces.has(bytes[at - 1]!)) at -= 1
  return { ...look, at }
}
