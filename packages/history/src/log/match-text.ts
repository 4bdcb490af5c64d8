import { stem, termsOf } from '@throughline/core/recall'
import { type Occurrence, occurrencesOf, toWanted } from '@throughline/stores/words'

/** Where the texts of a message match a query. `weights`: by word, how much it tells. */
export interface TextMatch {
  readonly length: number
  /** The weights of its words: less for those in another form, more for words that stand together as in the query. */
  weigh(weights: readonly number[]): number
  /** The place that matches best, as one line. */
  quote(weights: readonly number[], options: QuoteOptions): string
}

export interface QuoteOptions {
  readonly characters: number
  /** The line with its neighbours, as they are, instead of one line. */
  readonly lines: boolean
}

/** What a word in another form than the query's counts: "paint" names another thing than "painting". */
const otherForm = 0.7

/** Two words of the query that stand together as there count this much of the rarer one more. */
const together = 1

/** The most characters between two words that stand together: a short word or two. */
const gap = 12

/** Matches the texts of a message with a query; undefined if they have no word of it. */
export function matchTexts(texts: readonly string[], query: WordQuery): TextMatch | undefined {
  const numbers = new Map(
    query.flatMap((forms, number) => forms.map(form => [form, number] as const)),
  )
  const parts = texts.map(text => ({ text, hits: occurrencesOf(text, numbers) }))
  if (parts.every(({ hits }) => hits.length === 0)) return undefined
  /** By word: whether it stands there as in the query. */
  const isExact = new Map<number, boolean>()
  /** The words that stand behind the one before them in the query. */
  const pairs = new Set<number>()
  for (const { hits } of parts)
    for (const [at, one] of hits.entries()) {
      const { word, number } = one
      if (!isExact.get(number)) isExact.set(number, word === query[number]![0])
      if (isPair(hits[at - 1], one)) pairs.add(number)
    }
  return {
    length: texts.reduce((sum, { length }) => sum + length, 0),
    weigh(weights) {
      let sum = 0
      for (const [number, is] of isExact) sum += (is ? 1 : otherForm) * weights[number]!
      for (const number of pairs) sum += together * pairWeight(weights, number)
      return sum
    },
    quote(weights, { characters, lines }) {
      const stretches = parts.flatMap(({ text, hits }) => ({ text, ...bestStretch(hits, weights) }))
      const { text, from, to } = stretches.reduce((best, one) =>
        one.weight > best.weight ? one : best,
      )
      return lines ? quoteLines(text, from, to, characters) : quoteAround(text, from, characters)
    },
  }
}

/** Whether a word stands behind the one before it in the query, with hardly anything in between. */
const isPair = (before: Occurrence | undefined, { from, number }: Occurrence) =>
  before !== undefined && before.number === number - 1 && from - before.to <= gap

const pairWeight = (weights: readonly number[], number: number) =>
  Math.min(weights[number]!, weights[number - 1]!)

interface TextStretch {
  readonly from: number
  readonly to: number
  readonly weight: number
}

/** A stretch of a text has at most this many characters: about what is read at a glance. */
const glance = 120

/** The stretch that has the most of the words, those that stand together counting more; the first of equals. */
function bestStretch(all: readonly Occurrence[], weights: readonly number[]): TextStretch {
  let best: TextStretch = { from: 0, to: 0, weight: -1 }
  for (const [at, { from }] of all.entries()) {
    const seen = new Set<number>()
    let [weight, to] = [0, from]
    for (let next = at; next < all.length && all[next]!.to - from <= glance; next++) {
      const { number } = all[next]!
      const isNew = !seen.has(number)
      const follows = next > at && isPair(all[next - 1], all[next]!)
      if (isNew) weight += weights[number]!
      if (follows) weight += pairWeight(weights, number)
      if (isNew || follows) to = all[next]!.to
      seen.add(number)
    }
    if (weight > best.weight) best = { from, to, weight }
  }
  return best
}

/** A stretch on one line: from the beginning of its line, or from a little before it. */
function quoteAround(text: string, at: number, characters: number): string {
  const around = Math.ceil(characters / 3)
  const line = text.lastIndexOf('\n', at) + 1
  const from = at - line <= around ? line : wordStart(text, at - around)
  return cut(text, from, from + 3 * around).replace(/\s+/g, ' ')
}

/** The lines of a stretch, with the line before and after while there is room. Of a line that is too long, a part is quoted. */
function quoteLines(text: string, from: number, to: number, characters: number): string {
  let start = text.lastIndexOf('\n', from - 1) + 1
  let end = endOf(text, to)
  if (end - start > characters) return quoteAround(text, from, characters)
  const before = text.lastIndexOf('\n', start - 2) + 1
  if (start > 0 && end - before <= characters) start = before
  const after = endOf(text, end + 1)
  if (after - start <= characters) end = after
  return cut(text, start, end)
}

const endOf = (text: string, at: number) => {
  const end = text.indexOf('\n', at)
  return end < 0 ? text.length : end
}

/** A part of a text, with dots where something is left out. Halves of characters are dropped. */
function cut(text: string, from: number, to: number): string {
  const part = text
    .slice(from, to)
    .replace(/\p{Surrogate}/gu, '')
    .trim()
  return `${from > 0 ? '…' : ''}${part}${to < text.length ? '…' : ''}`
}

/** Moves a start out of the middle of a word, if there is a space nearby. */
function wordStart(text: string, from: number): number {
  const space = text.indexOf(' ', from)
  return space >= 0 && space - from < 15 ? space + 1 : from
}

/** The words that are looked for, in the order of the query. Of each its forms, first as it is written in the query. */
type WordQuery = readonly (readonly string[])[]

/** The most words that are looked for. A bit for each must fit into a number. */
const mostWords = 12

/** The telling words of a text, or all if none tells; of many the longest: they are rare. One a stem. */
export function toQuery(text: string): WordQuery {
  const all = toWanted(text)
  const telling = all.filter(isTelling)
  const words = [
    ...new Map((telling.length > 0 ? telling : all).map(word => [stem(word), word])).values(),
  ]
  const longest = new Set(words.toSorted((a, b) => b.length - a.length).slice(0, mostWords))
  return words.filter(word => longest.has(word)).map(formsOf)
}

export const isTelling = (word: string): boolean => termsOf(word).length > 0

/** A word with its English forms: `hike`, `hikes`, `hiked`. The index has words as they are written. */
function formsOf(word: string): readonly string[] {
  if (!/^[a-z]{3,}$/.test(word)) return [word]
  const bare = word.replace(/(?<=...)(?:ing|ed|es|e|s)$/, '')
  const root = bare.replace(/(?<=..[^aeiou])[iy]$/, '')
  const single = root.replace(/([bdfgmnprt])\1$/, '$1')
  const endings =
    root === bare ? ['', 's', 'es', 'ed', 'ing', 'e'] : ['y', 'ies', 'ied', 'ying', 'ie']
  return [...new Set([word, ...endings.map(ending => root + ending), single])]
}
