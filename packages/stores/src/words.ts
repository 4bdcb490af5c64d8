import { InvalidOptionError, showValue } from '@throughline/core/errors'
import { unspacedCharacters, wordCharacters } from '@throughline/core/recall'
import { attempt, joinRanges } from '@throughline/core/values'

/**
 * The different words of texts, for search: lower case, without accents. In scripts without spaces between words every
 * pair of neighbouring characters is a word, so that a part of a sentence is found too. Every regex here matches one
 * character at a time: matching a run of megabytes would overflow the stack.
 */
export function words(texts: readonly string[]): Set<string> {
  const terms = new Set<string>()
  for (const text of texts) {
    for (const run of toPlain(text).split(separator)) {
      if (dense.test(run)) addDense(run, terms)
      else addPart(run, terms)
    }
  }
  return terms
}

const toPlain = (text: string) =>
  ascii.test(text)
    ? text.toLowerCase()
    : text.normalize('NFKD').replace(marks, '').normalize('NFC').toLowerCase()

const ascii = /^[\0-\x7f]{0,64}$/
const marks = /\p{Mn}/gu
const separator = new RegExp(`[^${wordCharacters}]`, 'u')
const dense = new RegExp(`[${unspacedCharacters}]`, 'u')

/** Longer words are left out: they are hashes, keys, pieces of files. */
const maxLength = 64

function addPart(part: string, terms: Set<string>): void {
  if (part !== '' && part.length <= maxLength) terms.add(part)
}

/** Adds the pairs of each stretch in such a script (or its only character), and the words between the stretches. */
function addDense(run: string, terms: Set<string>): void {
  let [part, last, isPair] = ['', '', false]
  for (const character of run) {
    if (dense.test(character)) {
      addPart(part, terms)
      part = ''
      if (last !== '') terms.add(last + character)
      isPair = last !== ''
      last = character
    } else {
      if (!isPair && last !== '') terms.add(last)
      last = ''
      part += character
    }
  }
  addPart(part, terms)
  if (!isPair && last !== '') terms.add(last)
}

/** The words of a query as `findWords` takes them: each once, as `words` makes them. */
export function toWanted(query: string): string[] {
  if (typeof query !== 'string')
    throw new InvalidOptionError('query', `expected a text, got ${showValue(query)}`)
  return [...words([query])]
}

/** A word that was looked for: where it stands in a text, in UTF-16 units, and its number. */
export interface Occurrence {
  readonly word: string
  readonly from: number
  readonly to: number
  readonly number: number
}

/** Where some words stand in a text, in order. `numbers`: the number of each word, in all its forms. */
export function occurrencesOf(
  text: string,
  numbers: ReadonlyMap<string, number>,
): readonly Occurrence[] {
  const occurrences: Occurrence[] = []
  const shapes = new Uint8Array(shapeOf(0, maxLength + 1))
  for (const word of numbers.keys()) shapes[shapeOf(word.charCodeAt(0), word.length)] = 1
  const add = (word: string, from: number, to: number) => {
    const number = numbers.get(word)
    if (number !== undefined) occurrences.push({ word, from, to, number })
  }
  eachRun(text, shapes, (from, to, isAscii) => {
    const run = text.slice(from, to)
    const plain = isAscii ? run.toLowerCase() : toPlain(run)
    if (isAscii || !dense.test(plain)) return add(plain, from, to)
    let at = from
    let before = ''
    for (const character of run) {
      const end = at + character.length
      add(toPlain(character), at, end)
      if (before !== '') add(toPlain(before + character), at - before.length, end)
      before = character
      at = end
    }
  })
  return occurrences
}

/** Letters have the same number in upper and lower case; digits keep theirs. */
const shapeOf = (code: number, length: number) => length * 128 + (code | 32)

/** Where wanted words stand in a text: from one place up to another, in order and apart. */
export function placesOf(
  text: string,
  wanted: readonly string[],
): readonly (readonly [number, number])[] {
  const occurrences = occurrencesOf(text, new Map(wanted.map(word => [word, 0])))
  return joinRanges(Array.from(occurrences, ({ from, to }) => [from, to]))
}

/** Visits the runs of letters, marks and digits, but not those of ASCII in another shape than every wanted word: most are. */
function eachRun(
  text: string,
  shapes: Uint8Array,
  visit: (from: number, to: number, isAscii: boolean) => void,
): void {
  let from = 0
  let isAscii = true
  for (let at = 0; at <= text.length; at++) {
    const unit = at < text.length ? text.charCodeAt(at) : 0
    // Most characters are ASCII, where a comparison does instead of a regex.
    if (unit < 128 && isPlain[unit] === 1) continue
    const code = unit < 128 ? unit : text.codePointAt(at)!
    if (code >= 128 && !separator.test(String.fromCodePoint(code))) {
      if (code > 0xffff) at++
      isAscii = false
      continue
    }
    if (at > from && (!isAscii || shapes[shapeOf(text.charCodeAt(from), at - from)] === 1))
      visit(from, at, isAscii)
    if (code > 0xffff) at++
    from = at + 1
    isAscii = true
  }
}

const isPlain = Uint8Array.from({ length: 128 }, (_, code) =>
  /[a-z0-9]/i.test(String.fromCharCode(code)) ? 1 : 0,
)

/** The texts of a payload that a person would search for: its string values without ids and files. */
export function payloadTexts(payload: string): string[] {
  // A payload that is not JSON is searched as plain text.
  return textsIn(attempt<unknown>(() => JSON.parse(payload), payload))
}

export function textsIn(value: unknown): string[] {
  const texts: string[] = []
  collect(value, '', texts)
  return texts
}

/** Fields that hold names for machines. */
const hidden = new Set([
  'role',
  'type',
  'id',
  'tool_call_id',
  'toolCallId',
  'mediaType',
  'mimeType',
])
const maxDepth = 64

function collect(value: unknown, field: string, texts: string[], depth = 0): void {
  if (depth > maxDepth) return
  if (typeof value === 'string') {
    if (!hidden.has(field) && !isFile(value)) texts.push(value)
  } else if (Array.isArray(value)) {
    for (const part of value) collect(part, field, texts, depth + 1)
  } else if (value && typeof value === 'object') {
    for (const [name, part] of Object.entries(value)) collect(part, name, texts, depth + 1)
  }
}

/** Images and files in base64 would add thousands of words that no search needs. */
const isFile = (text: string) =>
  text.startsWith('data:') || (text.length >= 512 && !isNoBase64.test(text))

/** Looks for one character: matching a whole file would overflow the stack. */
const isNoBase64 = /[^\w+/=-]/
