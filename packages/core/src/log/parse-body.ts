import { BadRequestError } from './error.ts'

export interface JsonLimits {
  /** How deep lists and objects may stand in each other. */
  readonly maxDepth: number
  /** The most values, lists and objects together. A body of `{},{},{}…` takes fifty times its size in memory. */
  readonly maxValues: number
  /** The bytes that are looked at, or parsed, before others get their turn: some milliseconds. Default 256 KiB. */
  readonly pieceBytes?: number
}

/** Parses a body after a look at its form, so that a hostile one costs no more than its bytes. */
export function parseBody(bytes: Buffer, limits: JsonLimits): unknown {
  // In one piece.
  Array.from(lookAt(bytes, limits))
  return parseText(bytes.toString('utf8'))
}

export function parseText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw noJson()
  }
}

export const noJson = () => new BadRequestError('The body is no JSON.')

/** How far a look at a body has come. */
export interface Look {
  readonly at: number
  readonly depth: number
  readonly values: number
  /** The commas between the fields of the body. */
  readonly commas: number
  /** The list that holds the conversation. Of a look to go on from, the list that it stands in. */
  readonly list?: SeenList
}

export interface SeenList {
  readonly name: string
  /** Where it begins, behind its bracket. */
  readonly from: number
  readonly to: Look
  /** The places of the commas behind its first elements. */
  readonly ends: readonly ElementEnd[]
  /** Some of the commas that the look has passed, about a piece apart. */
  readonly cuts: readonly number[]
}

export type ElementEnd = Pick<Look, 'at' | 'values'>

/** The most elements of a list whose ends are noted. */
const mostEnds = 16_384

/**
 * Counts brackets and commas outside of texts, byte by byte: no call inside a call, however deep the body is. Yields between
 * pieces.
 */
export function* lookAt(
  bytes: Buffer,
  { maxDepth, maxValues, pieceBytes = 256 * 1024 }: JsonLimits,
  start: Look = { at: 0, depth: 0, values: 1, commas: 0 },
): Generator<void, Look> {
  let { depth, values, commas } = start
  let { name = '', from = 0 } = start.list ?? {}
  let ends = start.list?.ends.slice() ?? []
  let cuts: number[] = []
  let list: Look['list']
  const names = createNames()
  let nextRest = start.at + pieceBytes
  for (let at = start.at; at < bytes.length; at++) {
    if (at >= nextRest) {
      nextRest = at + pieceBytes
      yield
    }
    const byte = bytes[at]
    if (byte === quote) {
      const end = endOfText(bytes, at)
      if (depth === 1) name = bytes.toString('latin1', at + 1, Math.min(end, at + 20))
      if (bytes[end + 1] === colon || isSpaced(bytes, end + 1)) names.see(bytes, at + 1, end)
      at = end
    } else if (byte === openList || byte === openObject) {
      depth += 1
      values += 1
      if (depth === 2) {
        from = at + 1
        ends = []
        cuts = []
      }
      if (depth > maxDepth)
        throw new BadRequestError(
          `The body is nested more than ${maxDepth} levels deep: see "maxDepth".`,
        )
    } else if (byte === closeList || byte === closeObject) {
      const isEnd = depth === 2 && byte === closeList && conversations.has(name)
      if (isEnd) list = { name, from, to: { at, depth, values, commas }, ends, cuts }
      depth -= 1
    } else if (byte === comma) {
      if (depth === 2 && ends.length < mostEnds) ends.push({ at, values })
      if (depth === 2 && at >= (cuts.at(-1) ?? from) + pieceBytes) cuts.push(at)
      values += 1
      if (depth === 1) commas += 1
    }
    if (values > maxValues)
      throw new BadRequestError(`The body holds more than ${maxValues} values: see "maxMessages".`)
  }
  return { at: bytes.length, depth, values, commas, ...(list && { list }) }
}

/** The names of lists that hold a conversation. */
const conversations: ReadonlySet<string> = new Set(['messages', 'input'])

export const comma = 0x2c
const [quote, backslash, colon] = [0x22, 0x5c, 0x3a]
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d]

/** The most different names of fields. Parsing takes some microseconds for each, in one piece; a request has some dozens. */
const mostNames = 50_000

/** Each name sets one of these bits by its hash. A few share one; the seed keeps clients from choosing which. */
const nameBits = 2 ** 20
const [seed] = crypto.getRandomValues(new Uint32Array(1))

/** So many names are kept as they are: most bodies have fewer, and the bits take 128 KiB. */
const fewNames = 256

/** Counts names of fields, each once. */
function createNames() {
  const few = new Set<number>()
  let many: Uint8Array | undefined
  let count = 0

  /** Whether it is the first with its bit. */
  function isNew(bit: number): boolean {
    if (!many) {
      if (few.size < fewNames) return few.size < few.add(bit).size
      many = new Uint8Array(nameBits / 8)
      for (const one of few) many[one >> 3]! |= 1 << (one & 7)
    }
    const mask = 1 << (bit & 7)
    if (many[bit >> 3]! & mask) return false
    many[bit >> 3]! |= mask
    return true
  }

  return {
    see(bytes: Buffer, from: number, to: number): void {
      let hash = seed!
      for (let at = from; at < to; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193)
      if (!isNew(Math.imul(hash, 0x9e3779b1) >>> 12)) return
      count += 1
      if (count > mostNames)
        throw new BadRequestError(`The body has more than ${mostNames} different names of fields.`)
    },
  }
}

/** Whether a colon follows behind spaces: what stands before it is a name. */
function isSpaced(bytes: Buffer, start: number): boolean {
  const at = behindSpace(bytes, start)
  return at > start && bytes[at] === colon
}

/** The place of the first byte from here on that is no space. */
export function behindSpace(bytes: Buffer, start: number): number {
  let at = start
  while (spaces.has(bytes[at]!)) at += 1
  return at
}

export const spaces: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d])

/** The place of the quote that ends the text that begins here. */
function endOfText(bytes: Buffer, start: number): number {
  for (let at = start; ; ) {
    at = bytes.indexOf(quote, at + 1)
    if (at < 0) return bytes.length
    let escapes = 0
    while (bytes[at - 1 - escapes] === backslash) escapes += 1
    if (escapes % 2 === 0) return at
  }
}
