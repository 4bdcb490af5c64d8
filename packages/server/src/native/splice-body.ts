import type { Fields } from '@throughline/core/fields'
import { isObject } from '@throughline/core/values'

/**
 * Writes a changed body into the bytes that it was read from: what is the same value stays as its client wrote it, with its
 * spaces, its escapes, and numbers that no number of JavaScript is. `before`: the bytes as they were parsed.
 */
export function spliceBody(
  bytes: Uint8Array<ArrayBuffer>,
  before: Fields,
  after: Fields,
): Uint8Array<ArrayBuffer> {
  // Each character is one byte: what stands inside of texts is copied, never read.
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
  return Buffer.from(spliceObject(text, text.indexOf('{'), before, after), 'latin1')
}

const write = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('latin1')

/** Where a value stands in the text. */
interface Span {
  readonly from: number
  readonly to: number
}

interface Member extends Span {
  readonly name: string
  /** Where its name begins. */
  readonly start: number
}

function spliceValue(text: string, { from, to }: Span, before: unknown, after: unknown): string {
  if (before === after) return text.slice(from, to)
  if (Array.isArray(before) && Array.isArray(after)) return spliceList(text, from, before, after)
  return isPlain(before) && isPlain(after) ? spliceObject(text, from, before, after) : write(after)
}

const isPlain = (value: unknown): value is Fields => isObject(value) && !Array.isArray(value)

function spliceObject(text: string, from: number, before: Fields, after: Fields): string {
  const members = membersOf(text, from)
  const last = new Map(members.map((member, at) => [member.name, at]))
  const pieces: string[] = []
  for (const [at, { name, start, ...span }] of members.entries()) {
    const isChanged = before[name] !== after[name]
    // Of a name that stands twice the last value counts.
    if (after[name] === undefined || (isChanged && last.get(name) !== at)) continue
    const value = isChanged
      ? spliceValue(text, span, before[name], after[name])
      : text.slice(span.from, span.to)
    pieces.push(`${spaceBefore(text, start)}${text.slice(start, span.from)}${value}`)
  }
  for (const [name, value] of Object.entries(after))
    if (!last.has(name) && value !== undefined) pieces.push(`${write(name)}:${write(value)}`)
  const end = members.at(-1)?.to ?? from + 1
  return `{${pieces.join(',')}${text.slice(end, skipSpace(text, end))}}`
}

/** The list with the entries that are sent: those of the client as they stand in the text. */
function spliceList(
  text: string,
  from: number,
  before: readonly unknown[],
  after: readonly unknown[],
): string {
  const places = new Map<unknown, Span>()
  let at = skipSpace(text, from + 1)
  for (const entry of before) {
    const to = endOfValue(text, at)
    places.set(entry, { from: at, to })
    at = skipSpace(text, skipSpace(text, to) + 1)
  }
  const written = after.map(entry => {
    const place = isObject(entry) ? places.get(entry) : undefined
    return place ? text.slice(place.from, place.to) : write(entry)
  })
  return `[${written.join(',')}]`
}

/** The members of an object that begins at a place. */
function membersOf(text: string, from: number): readonly Member[] {
  const members: Member[] = []
  let start = skipSpace(text, from + 1)
  while (text[start] === '"') {
    const end = endOfText(text, start)
    const name = JSON.parse(Buffer.from(text.slice(start, end), 'latin1').toString()) as string
    const value = skipSpace(text, skipSpace(text, end) + 1)
    const to = endOfValue(text, value)
    members.push({ name, start, from: value, to })
    start = skipSpace(text, skipSpace(text, to) + 1)
  }
  return members
}

function endOfValue(text: string, from: number): number {
  let depth = 0
  for (let at = from; ; ) {
    const character = text[at]
    if (character === '"') at = endOfText(text, at)
    else if (depth === 0 && (character === undefined || ',]} \n\r\t'.includes(character))) return at
    else {
      if (character === '{' || character === '[') depth += 1
      if (character === '}' || character === ']') depth -= 1
      at += 1
    }
    if (depth === 0 && ']}"'.includes(text[at - 1]!)) return at
  }
}

/** The place behind a text that begins at a place: behind the next quote that no backslash stands before. */
function endOfText(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); ; at = text.indexOf('"', at + 1)) {
    let slashes = 0
    while (text[at - 1 - slashes] === '\\') slashes += 1
    if (slashes % 2 === 0) return at + 1
  }
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (' \n\r\t'.includes(text[at] ?? '.')) at += 1
  return at
}

function spaceBefore(text: string, to: number): string {
  let from = to
  while (' \n\r\t'.includes(text[from - 1] ?? '.')) from -= 1
  return text.slice(from, to)
}
