import { attempt } from '../log/attempt.ts'
import { InvalidOptionError, showValue } from '../log/error.ts'
import { unspacedCharacters, wordCharacters } from '../log/word-characters.ts'

/**
 * The different words of texts, for search: lower case, without accents. In scripts without spaces between words every
 * pair of neighbouring characters is a word, so that a part of a sentence is found too. Every regex here matches one
 * character at a time: matching a run of megabytes would overflow the stack.
 */
export function words(texts: readonly string[]): Set<string> {
  const found = new Set<string>()
  for (const text of texts) {
    for (const run of toPlain(text).split(separator)) {
      if (dense.test(run)) addDense(run, found)
      else addPart(run, found)
    }
  }
  return found
}

const toPlain = (text: string) => text.normalize('NFKD').replace(marks, '').normalize('NFC').toLowerCase()

const marks = /\p{Mn}/gu
const separator = new RegExp(`[^${wordCharacters}]`, 'u')
const dense = new RegExp(`[${unspacedCharacters}]`, 'u')

/** Longer words are left out: they are hashes, keys, pieces of files. */
const maxLength = 64

function addPart(part: string, found: Set<string>): void {
  if (part !== '' && part.length <= maxLength) found.add(part)
}

/** Adds the pairs of each stretch in such a script (or its only character), and the words between the stretches. */
function addDense(run: string, found: Set<string>): void {
  let [part, last, isPair] = ['', '', false]
  for (const character of run) {
    if (dense.test(character)) {
      addPart(part, found)
      part = ''
      if (last !== '') found.add(last + character)
      isPair = last !== ''
      last = character
    } else {
      if (!isPair && last !== '') found.add(last)
      last = ''
      part += character
    }
  }
  addPart(part, found)
  if (!isPair && last !== '') found.add(last)
}

/** The index takes quadratic time for the words of a query: a second for 10,000. */
const maxWanted = 1_000

/** The different words of a query. */
export function toWanted(query: string): string[] {
  if (typeof query !== 'string')
    throw new InvalidOptionError('query', `expected a text, got ${showValue(query)}`)
  const wanted = words([query])
  if (wanted.size > maxWanted)
    throw new InvalidOptionError('query', `${wanted.size} words are too many: ask for at most ${maxWanted}`)
  return [...wanted]
}

export function hasWords(payload: string, wanted: readonly string[]): boolean {
  const has = words(payloadTexts(payload))
  return wanted.every(word => has.has(word))
}

/** Where wanted words stand in a text: from one place up to another, in UTF-16 units, in order and apart. */
export function placesOf(text: string, wanted: readonly string[]): readonly (readonly [number, number])[] {
  const all = new Set(wanted)
  const found: [number, number][] = []
  const add = (from: number, to: number) => {
    const last = found.at(-1)
    if (last && last[1] >= from) last[1] = Math.max(last[1], to)
    else found.push([from, to])
  }
  for (const [from, to] of runsIn(text)) {
    const plain = toPlain(text.slice(from, to))
    if (!dense.test(plain)) {
      if (all.has(plain)) add(from, to)
      continue
    }
    let at = from
    let before = ''
    for (const character of text.slice(from, to)) {
      const end = at + character.length
      if (all.has(toPlain(character))) add(at, end)
      if (before !== '' && all.has(toPlain(before + character))) add(at - before.length, end)
      before = character
      at = end
    }
  }
  return found
}

/** The runs of letters, marks and digits. */
function* runsIn(text: string): Generator<readonly [number, number]> {
  let [from, at] = [0, 0]
  for (const character of text) {
    if (separator.test(character)) {
      if (at > from) yield [from, at]
      from = at + character.length
    }
    at += character.length
  }
  if (at > from) yield [from, at]
}

/** The texts of a payload that a person would search for: its string values without ids and files. */
export function payloadTexts(payload: string): string[] {
  const texts: string[] = []
  // A payload that is not JSON is searched as plain text.
  collect(
    attempt<unknown>(() => JSON.parse(payload), payload),
    '',
    texts,
  )
  return texts
}

/** Fields that hold names for machines. */
const hidden = new Set(['role', 'type', 'id', 'tool_call_id', 'toolCallId', 'mediaType', 'mimeType'])
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

/** Images and files in base64 would be thousands of words that nobody searches for. */
const isFile = (text: string) => text.startsWith('data:') || (text.length >= 512 && !isNoBase64.test(text))

/** Looks for one character: matching a whole file would overflow the stack. */
const isNoBase64 = /[^\w+/=-]/

/** A few words around the first match of a wanted word. */
export function snippet(payload: string, wanted: readonly string[], around = 40): string {
  const texts = payloadTexts(payload)
  for (const text of texts) {
    const at = firstPlace(text.toLowerCase(), wanted)
    if (at >= 0) return cut(text, at, around)
  }
  // The entry spells the word otherwise (an accent, a full-width letter): its beginning will do.
  return cut(texts[0] ?? '', 0, around)
}

function firstPlace(text: string, wanted: readonly string[]): number {
  return wanted.reduce((first, word) => {
    const at = text.indexOf(word)
    return at < 0 || (first >= 0 && first < at) ? first : at
  }, -1)
}

function cut(text: string, at: number, around: number): string {
  const from = wordStart(text, Math.max(0, at - around))
  const part = [...text.slice(from, from + 3 * around)]
    .join('')
    .replace(/\p{Surrogate}/gu, '')
    .replace(/\s+/g, ' ')
  return `${from > 0 ? '…' : ''}${part.trim()}${from + 3 * around < text.length ? '…' : ''}`
}

/** Moves a start out of the middle of a word, if there is a space nearby. */
function wordStart(text: string, from: number): number {
  if (from === 0) return 0
  const space = text.indexOf(' ', from)
  return space >= 0 && space - from < 15 ? space + 1 : from
}
