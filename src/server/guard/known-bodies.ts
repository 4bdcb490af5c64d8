import { type JsonLimits, type Look, lookAt, parseText, spaces } from './parse-body.ts'

/**
 * Parses bodies of which most begin like an earlier one: a client sends its whole conversation each time. What is known of
 * a conversation is not parsed again: its messages are the same objects as before, so that others can know them too. Only
 * bodies of the same owner are compared: how long an answer takes tells nothing about anybody else.
 */
export function createBodyParser(
  limits: JsonLimits,
  { leastBytes = 16 * 1024, mostBytes = 32 * 1024 ** 2 } = {},
): (bytes: Buffer, owner: string) => unknown {
  /** The newest first. */
  const known: Known[] = []
  let size = 0

  function keep(one: Known, before?: Known): void {
    if (before) size -= known.splice(known.indexOf(before), 1)[0]!.bytes.length
    known.unshift(one)
    size += one.bytes.length
    while (size > mostBytes || known.length > mostKnown) size -= known.pop()!.bytes.length
  }

  return (bytes, owner) => {
    if (bytes.length < leastBytes) return parseWhole(bytes, limits).body
    const before = known.find(one => one.owner === owner && beginsLike(bytes, one))
    const { body, ...read } = (before && parseRest(bytes, before, limits)) ?? parseWhole(bytes, limits)
    if (read.list) keep({ ...read.list, owner, bytes }, before)
    return body
  }
}

const mostKnown = 64

/** A conversation in the body of an earlier request. */
interface Known extends List {
  readonly owner: string
  readonly bytes: Buffer
}

/** The list of a body with its messages, and the look up to the end of the last one. */
interface List {
  readonly name: string
  readonly from: number
  readonly to: Look
  readonly messages: readonly unknown[]
}

interface Parsed {
  readonly body: unknown
  /** Absent where the body has none, or has two fields of one name. */
  readonly list?: List
}

const beginsLike = (bytes: Buffer, { bytes: known, to: { at } }: Known) =>
  bytes.length > at && bytes.compare(known, 0, at, 0, at) === 0

function parseWhole(bytes: Buffer, limits: JsonLimits): Parsed {
  const { list, commas } = lookAt(bytes, limits)
  const body = parseText(bytes.toString('utf8'))
  const messages = (body as Readonly<Record<string, unknown>> | null)?.[list?.name ?? '']
  if (!list || !Array.isArray(messages) || messages.length === 0 || !isPlain(body, commas)) return { body }
  return { body, list: { ...list, to: withoutSpace(bytes, list.to), messages } }
}

/** Parses what follows the messages that are known. Undefined where the whole must be looked at. */
function parseRest(bytes: Buffer, known: Known, limits: JsonLimits): Parsed | undefined {
  const { name, from, to: start } = known
  const { list, commas } = lookAt(bytes, limits, { ...start, list: known })
  // Not the list itself, if the body has another one of its name.
  if (!list || list.from !== from) return undefined
  const { at: end } = list.to
  const fresh = messagesIn(bytes.toString('utf8', start.at, end))
  const body = parseText(bytes.toString('utf8', 0, from) + bytes.toString('utf8', end))
  if (!fresh || !isPlain(body, commas)) return undefined
  const messages = [...known.messages, ...fresh]
  return {
    body: { ...(body as object), [name]: messages },
    list: { name, from, to: withoutSpace(bytes, list.to), messages },
  }
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
const isPlain = (body: unknown, commas: number) =>
  typeof body === 'object' && body !== null && Object.keys(body).length === commas + 1

/** A list may end otherwise than it goes on: the space before its bracket is not part of it. */
function withoutSpace(bytes: Buffer, look: Look): Look {
  let { at } = look
  while (spaces.has(bytes[at - 1]!)) at -= 1
  return { ...look, at }
}
