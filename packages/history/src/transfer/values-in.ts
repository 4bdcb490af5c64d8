import { InvalidImportError, noJson } from './import-error.ts'

/** A JSON value of a file: an item of a list, or a value that stands by itself, such as a line. */
export interface FileValue {
  readonly text: string
  /** The line on which it begins. */
  readonly line: number
  /** The list that it is an item of, counted from 1, and its place in it. */
  readonly list?: { readonly number: number; readonly at: number }
}

/** The longest value that is read at once: half of what a text may have in V8. */
const mostCharacters = 2 ** 28
/** A tree of messages inside each other is two levels deeper with each message. */
const mostDepth = 100_000

/** The values of a text in pieces, one at a time: list items, or values in a row. A value at the end of a piece ends its line. */
export async function* valuesIn(
  pieces: AsyncIterable<string> | Iterable<string>,
  most = mostCharacters,
) {
  const scanner = createScanner(most)
  for await (const piece of pieces) yield* scanner.read(piece)
  yield* scanner.end()
}

const blanks = ' \t\r\n\ufeff'
/** What changes the state of the reader, inside of a text and between texts: a search skips the rest. */
const inText = /["\\\n]/g
const betweenTexts = /["{}[\]\n]/g

/** Where a word without quotes ends; undefined if that is not in this piece. */
function bareEnd(piece: string, from: number): number | undefined {
  const length = piece.slice(from).search(/[\s\ufeff,\]]/)
  return length < 0 ? undefined : from + length
}

function createScanner(most: number) {
  let line = 1
  /** The last piece ended with a value, so the next one is on a new line, unless it begins with the line's end. */
  let isLineDone = false
  let list: { number: number; at: number; line: number; isAfterItem: boolean } | undefined
  let lists = 0
  /** The value that has begun: the parts of its text that came, and how deep it is open. */
  let value:
    | { parts: string[]; length: number; line: number; depth: number; isBare: boolean }
    | undefined
  let isText = false
  let isEscaped = false

  const refuse = (at: number, problem = noJson): never => {
    throw new InvalidImportError({ line: at, path: list && `$[${list.at}]` }, problem)
  }

  function add(part: string): void {
    value!.parts.push(part)
    value!.length += part.length
    if (value!.length > most)
      refuse(value!.line, `it has more than ${most} characters, which is the limit.`)
  }

  function finish(): FileValue {
    const { parts, line: begun } = value!
    value = undefined
    const item = list && { number: list.number, at: list.at }
    if (list) {
      list.at += 1
      list.isAfterItem = true
    }
    return { text: parts.join(''), line: begun, ...(item && { list: item }) }
  }

  /** What a character between values does; true if a value begins with it. */
  function begin(character: string): boolean {
    if (character === '\n') line += 1
    if (blanks.includes(character)) return false
    if (list && character === ']') {
      list = undefined
      return false
    }
    if (list && character === ',') {
      if (!list.isAfterItem) refuse(line)
      list.isAfterItem = false
      return false
    }
    if (list?.isAfterItem || '}],:'.includes(character)) refuse(line)
    if (!list && character === '[') {
      lists += 1
      list = { number: lists, at: 0, line, isAfterItem: false }
      return false
    }
    isText = character === '"'
    const isNested = character === '{' || character === '['
    value = { parts: [], length: 0, line, depth: isNested ? 1 : 0, isBare: !isText && !isNested }
    return true
  }

  /** Reads on in the value from a place. Returns the place after its end; undefined if the piece ends first. */
  function endIn(piece: string, from: number): number | undefined {
    const open = value!
    let at = from
    if (isEscaped && at < piece.length) {
      isEscaped = false
      at += 1
    }
    for (;;) {
      const pattern = isText ? inText : betweenTexts
      pattern.lastIndex = at
      if (!pattern.test(piece)) return undefined
      at = pattern.lastIndex
      const character = piece[at - 1]
      if (character === '\\') {
        isEscaped = at === piece.length
        at += 1
      } else if (character === '"') isText = !isText
      else if (character === '\n' && isText) refuse(open.line)
      else if (character === '\n') line += 1
      else open.depth += character === '{' || character === '[' ? 1 : -1
      if (open.depth > mostDepth) refuse(open.line, 'it is nested too deeply.')
      if (open.depth === 0 && !isText) return at
    }
  }

  function* read(piece: string): Generator<FileValue> {
    if (isLineDone && piece[0] !== '\n' && piece[0] !== '\r') line += 1
    isLineDone = false
    let at = 0
    while (at < piece.length) {
      if (!value && !begin(piece[at]!)) {
        at += 1
        continue
      }
      const isNew = value!.length === 0
      const end = value!.isBare ? bareEnd(piece, at) : endIn(piece, isNew ? at + 1 : at)
      add(piece.slice(at, end))
      if (end === undefined) break
      yield finish()
      at = end
    }
    if (!value) isLineDone = !list && !piece.endsWith('\n')
  }

  function* end(): Generator<FileValue> {
    if (value?.isBare) yield finish()
    if (value) refuse(value.line)
    if (list) refuse(list.line, 'its list has no end: the file is cut off.')
  }

  return { read, end }
}
