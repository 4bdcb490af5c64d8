import { type ElementEnd, type JsonLimits, type Look, lookAt, parseText, spaces } from './parse-body.ts'

/**
 * Parses bodies of which most begin like an earlier one: a client sends its whole conversation each time. The messages that
 * an earlier body had are not parsed again: they are the same objects, so that caches by object work. Only bodies of the same
 * owner are compared, so that the time of an answer tells nothing about other owners.
 */
export function createBodyParser(
  limits: JsonLimits,
  { leastBytes = 16 * 1024, mostBytes = 32 * 1024 ** 2 } = {},
): BodyParser {
  /** The newest first. */
  let bodies: PastBody[] = []
  let size = 0

  function keep(one: PastBody, before?: PastBody): void {
    if (before) size -= bodies.splice(bodies.indexOf(before), 1)[0]!.bytes.length
    bodies.unshift(one)
    size += one.bytes.length
    while (size > mostBytes || bodies.length > mostBodies) size -= bodies.pop()!.bytes.length
  }

  return {
    parse(bytes, owner) {
      if (bytes.length < leastBytes) return parseWhole(bytes, limits).body
      const before = longest(bytes, owner, bodies)
      const { body, list } = (before && parseRest(bytes, before, limits)) ?? parseWhole(bytes, limits)
      if (list) keep({ ...list, owner, bytes }, before && isSame(before) ? before.earlier : undefined)
      return body
    },
    forget() {
      bodies = []
      size = 0
    },
  }
}

export interface BodyParser {
  parse(bytes: Buffer, owner: string): unknown
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
interface BodyList {
  readonly name: string
  readonly from: number
  readonly to: Look
  readonly ends: readonly ElementEnd[]
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
function longest(bytes: Buffer, owner: string, all: readonly PastBody[]): SharedMessages | undefined {
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
const isSame = ({ earlier: { from, to }, end }: SharedMessages) => (end.at - from) * 2 >= to.at - from

/** Without `list` where the body has none, or has two fields of one name. */
function parseWhole(bytes: Buffer, limits: JsonLimits): { body: unknown; list?: BodyList } {
  const { list, commas } = lookAt(bytes, limits)
  const body = parseText(bytes.toString('utf8'))
  const messages = (body as Readonly<Record<string, unknown>> | null)?.[list?.name ?? '']
  if (!list || !Array.isArray(messages) || messages.length === 0 || !isPlain(body, commas)) return { body }
  return { body, list: { ...list, to: withoutSpace(bytes, list.to), messages, end: list.to.at, body } }
}

/** Parses what follows the messages that are known. Undefined where the whole must be looked at. */
function parseRest(bytes: Buffer, { earlier, count, end: start }: SharedMessages, limits: JsonLimits) {
  const { name, from } = earlier
  const ends = earlier.ends.slice(0, count === earlier.messages.length ? earlier.ends.length : count - 1)
  const look = lookAt(bytes, limits, { ...earlier.to, ...start, list: { ...earlier, ends } })
  const { list } = look
  // Not the list itself, if the body has another one of its name.
  if (!list || list.from !== from) return undefined
  const { at: end } = list.to
  const fresh = messagesIn(bytes.toString('utf8', start.at, end))
  if (!fresh) return undefined
  const outside = fieldsOf(bytes, earlier, end)
  if (!isPlain(outside, look.commas)) return undefined
  const messages = [...earlier.messages.slice(0, count), ...fresh]
  const body = { ...outside, [name]: messages }
  return {
    body,
    list: { name, from, to: withoutSpace(bytes, list.to), ends: list.ends, messages, end, body },
  }
}

/** The fields of a body beside its messages: the objects of the earlier body, if their bytes are the same. */
function fieldsOf(bytes: Buffer, { bytes: before, end: tail, body, from }: PastBody, end: number): unknown {
  if (bytes.compare(before, tail, before.length, end) === 0) return body
  return parseText(bytes.toString('utf8', 0, from) + bytes.toString('utf8', end))
}

/** The messages of a text that goes on behind a message. Undefined if it cannot go on so. */
function messagesIn(text: string): readonly unknown[] | undefined {
  const space = /^[ \t\n\r]*/.exec(text)![0].length
  if (space === text.length) return []
  if (text[space] !== ',') return undefined
  const fresh = parseText(`[${text.slice(space + 1)}]`) as readonly unknown[]
  return fresh.length > 0 ? fresh : undefined
}

/** Whether every field of a body has a name of its own, so that each is where it was seen. */
const isPlain = (body: unknown, commas: number): body is object =>
  typeof body === 'object' && body !== null && Object.keys(body).length === commas + 1

/** A list may end otherwise than it goes on: the space before its bracket is not part of it. */
function withoutSpace(bytes: Buffer, look: Look): Look {
  let { at } = look
  while (spaces.has(bytes[at - 1]!)) at -= 1
  return { ...look, at }
}
