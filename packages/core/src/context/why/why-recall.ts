import { joinRanges } from '../../log/join-ranges.ts'
import { isOrdinary, type Unit } from '../conversation/unit.ts'
import type { Frame } from '../draft/frame.ts'
import { findSpan, type Insertion, type Span } from '../draft/span.ts'
import { tellingTerms } from '../recall/blocks.ts'
import { asksForBlock, floorOf, lineCost, type Search } from '../recall/choose-block.ts'
import { termsOf, withoutLabel } from '../recall/terms.ts'

/** What recall decided about a message before the cut. */
export interface WhyRecall {
  /**
   * `recalled`: it stands in the block of the message that asked. `made_room`: it stood in a block until newer ones needed
   * the room. `no_room`: better ones took the room. `weak_match`: others fit what was asked better. `not_asked`: the message
   * asks for nothing older. `never`: it is never recalled.
   */
  readonly outcome: 'recalled' | 'made_room' | 'no_room' | 'weak_match' | 'not_asked' | 'never'
  /** The user message that asked for it, or the latest one, which did not. */
  readonly asking?: AskedText
  /** The text of the message itself, with the words that were asked for. */
  readonly found?: AskedText
  /** The message beside it that has the words, if it has none itself. */
  readonly near?: number
  /** How strongly the message asks for something old: from 1 on something is recalled. */
  readonly strength?: number
  /** How well this message and the best one answer, and the least that is recalled. */
  readonly score?: number
  /** The score of the message that answers best. */
  readonly best?: number
  /** The lowest score that is recalled. */
  readonly least?: number
  /** How many were weighed before it, and their tokens. */
  readonly better?: { readonly units: number; readonly tokens: number }
  /** The tokens that it needs, those that were left for it, and those of the whole block. */
  readonly needs?: number
  /** The tokens that better messages left of the block. */
  readonly left?: number
  /** The tokens of the whole block. */
  readonly room?: number
}

/** A text, and where the words stand that a message asks for. */
export interface AskedText {
  /** The place of the message. */
  readonly seq: number
  /** The words of the message. */
  readonly text: string
  /** The places of the words in `text`, in order. */
  readonly hits: readonly TextPlace[]
}

interface WeighedUnit {
  readonly unit: number
  readonly cost: number
  readonly left: number
}

/** One search of recall: the last one of a user message is what counts. */
interface Searched {
  readonly search: Search
  readonly room: number
  readonly weighed: WeighedUnit[]
}

export interface MessagePlace {
  readonly frame: Frame
  readonly unit: Unit
  /** The place of the entry in the transcript. */
  readonly at: number
  readonly spans: readonly Span[]
  readonly insertions: readonly Insertion[]
}

/** Notes what recall weighs while a context is made. */
export function createTrace() {
  const searches = new Map<number, Searched>()
  let current: Searched | undefined
  return {
    take(search: Search, left: number, unit?: number, cost = 0): void {
      if (unit !== undefined) current?.weighed.push({ unit, cost, left })
      else {
        current = { search, room: left, weighed: [] }
        searches.set(search.user, current)
      }
    },
    /** Undefined where nothing was searched for: the policy does not recall, or nothing is cut. */
    explain(message: MessagePlace): WhyRecall | undefined {
      if (searches.size === 0) return undefined
      const { unit, insertions } = message
      if (!isOrdinary(unit)) return { outcome: 'never' }
      const block = insertions.find(
        ({ part, of }) => part === 'recall' && of.some(({ from }) => from === unit.index),
      )
      const search = block && searches.get(block.before)
      if (search) return { outcome: 'recalled', ...describe(search, message) }
      const all = [...searches.values()]
      const earlier = all.findLast(({ weighed }) => weighed.some(one => isTaken(one, unit.index)))
      if (earlier && findSpan(message.spans, unit.index)?.fate === 'omitted')
        return { outcome: 'made_room', ...describe(earlier, message) }
      const last = all.at(-1)!
      return { outcome: outcomeOf(last, unit.index), ...describe(last, message) }
    },
  }
}

const fitted = ({ cost, left }: WeighedUnit) => cost <= left
const isTaken = (one: WeighedUnit, wanted: number) => one.unit === wanted && fitted(one)

function outcomeOf({ search, weighed }: Searched, unit: number): WhyRecall['outcome'] {
  if (weighed.length === 0 && !asksForBlock(search)) return 'not_asked'
  return scoreOf(search, unit) < floorOf(search) ? 'weak_match' : 'no_room'
}

/** 0 for a unit of a session that others answer better than. */
const scoreOf = ({ scores }: Search, unit: number) => scores.values[scores.units.indexOf(unit)] ?? 0

function describe(
  { search, room, weighed }: Searched,
  { frame, unit, at, insertions }: MessagePlace,
) {
  const { transcript, origin } = frame
  const { index, user, best, strength } = search
  const near = nearOf(unit, insertions)
  const ids = sharedTerms(search, near ?? unit.index)
  const isAsked = (term: string) => ids.has(index.vocabulary.get(term) ?? -1)
  const textAt = (place: number): AskedText => {
    const { text } = transcript.entries[place]!.message
    return { seq: origin + place, text, hits: termPlaces(text, isAsked) }
  }
  const asking = textAt(transcript.units[user]!.from)
  const label = asking.text.length - withoutLabel(asking.text).length
  const rank = weighed.findIndex(one => one.unit === unit.index)
  // A block that is full is not looked at to its end.
  const score = scoreOf(search, unit.index)
  const isLate = rank < 0 && weighed.length > 0 && score >= floorOf(search)
  const before = weighed.slice(0, isLate ? weighed.length : Math.max(0, rank)).filter(fitted)
  const left = before.reduce((sum, { cost }) => sum - cost, room)
  const candidate = isLate ? { cost: lineCost(unit), left } : weighed[rank]
  return {
    asking: { ...asking, hits: asking.hits.filter(([from]) => from >= label) },
    found: textAt(at),
    ...(near !== undefined &&
      near !== unit.index && { near: origin + transcript.units[near]!.from }),
    strength: rounded(strength),
    score,
    best,
    least: Math.ceil(floorOf(search)),
    ...(candidate && {
      better: { units: before.length, tokens: before.reduce((sum, { cost }) => sum + cost, 0) },
      needs: candidate.cost,
      left: Math.max(0, candidate.left),
    }),
    room: Math.max(0, room),
  }
}

/** The unit with the words that were asked for, as the block of a recalled unit says. */
function nearOf({ index }: Unit, insertions: readonly Insertion[]): number | undefined {
  const recalled = insertions.flatMap(({ part, of }) => (part === 'recall' ? of : []))
  return recalled.find(({ from }) => from === index)?.near
}

/** The terms that a message asks for and a unit has. */
function sharedTerms({ index, terms, user }: Search, unit: number): ReadonlySet<number> {
  const unitTerms = new Set(unit < index.size ? index.termsAt(unit) : [])
  const shared = terms.map(([id]) => id).filter(id => unitTerms.has(id))
  return new Set(tellingTerms(index, shared, user))
}

const rounded = (value: number) => Math.round(value * 100) / 100

/** A stretch of a text: from one UTF-16 unit up to another. */
export type TextPlace = readonly [from: number, to: number]

/** Where words with one of some terms stand in a text, at most `most`; characters and pairs of them in scripts without spaces. */
export function termPlaces(text: string, isAsked: (term: string) => boolean, most = 200) {
  const places: [number, number][] = []
  for (const { 0: word, index } of text.matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
    if (places.length >= most) break
    const terms = termsOf(word)
    if (!terms.some(isAsked)) continue
    // A word of one term is marked whole; of several, the characters and pairs that were asked for.
    if (terms.length === 1) places.push([index, index + word.length])
    else
      for (const place of characterPlaces(word, isAsked))
        places.push([index + place[0], index + place[1]])
  }
  return joinRanges(places)
}

function* characterPlaces(
  word: string,
  isAsked: (term: string) => boolean,
): Generator<[number, number]> {
  let before = ''
  let at = 0
  for (const character of word) {
    const end = at + character.length
    const [, , pair] = termsOf(before + character)
    if (pair !== undefined && isAsked(pair)) yield [at - before.length, end]
    else if (termsOf(character).some(isAsked)) yield [at, end]
    before = character
    at = end
  }
}
