import { fold } from '../../log/fold.ts'
import { remember } from '../conversation/remember.ts'
import type { Transcript } from '../conversation/transcript.ts'
import { unitText } from '../conversation/unit.ts'
import { sharesOf } from './naming.ts'
import { entryOf } from './posting.ts'
import type { RankedIndex } from './recall-index.ts'
import { termsOf, withoutLabel, wordsOf } from './terms.ts'
import { common, knowing, thingOf, versions } from './thing-words.ts'

/** A thing that was made earlier and is named again, and the unit with its newest version. */
export interface NamedThing {
  readonly unit: number
  readonly name: string
}

/** How a message names a thing: "the packing checklist", "Task 2", "`parseDate`". */
interface Name {
  readonly text: string
  /** What the title of the thing must have, as terms or as it is written. */
  readonly terms: readonly string[]
  /** The words that say which of several things it is. */
  readonly which: readonly string[]
  readonly kind: 'thing' | 'number' | 'code'
}

/** The units before a user message with the things that it names again: of each thing the newest version. */
export function findNamedThings(
  transcript: Transcript,
  index: RankedIndex,
  text: string,
  user: number,
): readonly NamedThing[] {
  const found = new Map<number, NamedThing>()
  const shareOf = sharesOf(index, withoutLabel(text), user)
  for (const name of namesIn(withoutLabel(text)).slice(0, mostNames)) {
    const unit = newestVersion(transcript, index, name, user, shareOf)
    if (unit >= 0 && !found.has(unit)) found.set(unit, { unit, name: name.text })
  }
  return [...found.values()]
}

const mostNames = 4

/** Of a long text the beginning and the end say what is wanted of it. */
const mostRead = 1200

/** The things that a text names as known. */
function namesIn(whole: string): readonly Name[] {
  const prose = whole.replace(fence, '\n')
  const text = prose.length > mostRead ? `${prose.slice(0, 200)}\n${prose.slice(-200)}` : prose
  const names = text.split(clauseEnd).flatMap(namesInClause)
  // Code that stands in the message itself is not asked for.
  const codes = prose.length === whole.length ? (text.match(codeName) ?? []) : []
  for (const code of codes)
    names.push({ text: code, terms: [code.replace(/\(\)$/, '')], which: [], kind: 'code' })
  return names
}

function namesInClause(clause: string): Name[] {
  const surface = wordsOf(clause)
  const words = surface.map(fold)
  return words.flatMap((word, at) => {
    const thing = thingOf(word)
    if (thing === undefined) return numbered(surface, at)
    const next = words[at + 1] ?? ''
    const begin = knownFrom(words, at)
    // "What is the plan?" asks for one.
    if (begin < 0 || isPointing.test(next) || isBeing.test(words[begin - 2] ?? '')) return []
    const after = joining.test(next) ? words.slice(at + 2, at + 6) : []
    const which = [...words.slice(begin, at), ...after].filter(isTellingWord).flatMap(termsOf)
    const isBare = which.length === 0 && !isOwner.test(next)
    if (isBare && (common.has(word) || isThat.test(words[begin - 1] ?? ''))) return []
    const shown = surface.slice(Math.max(0, begin - 1), at + 1).join(' ')
    return { text: shown, terms: termsOf(thing), which, kind: 'thing' as const }
  })
}

const isBeing = /^(?:is|was|are|were|s|still|ist|war|sind|es|era|son)$/
const joining = /^(?:of|for|about|fur|uber|zu|von|para|de|sobre)$/
/** "The list you made", "that plan of ours". */
const isOwner = /^(?:you|we|i|from|du|wir|ich|que)$/
/** "That plan" alone is mostly what was just said. */
const isThat = /^(?:that|those)$/

const fence = /```[^`]*(?:```|$)/g
const clauseEnd = /[.!?;:,()[\]"“”\n。！？，；：、]+/

/** `tides.ts`, `parseDate`, `parse_date`, `parseDate()`. */
const codeName =
  /(?<![\w$.])(?:[\w-]{1,60}\.(?:[cm]?[jt]sx?|py|json|ya?ml|toml|html|css|sql|go|rs|java|rb|sh|md|csv|txt)\b|[A-Za-z]\w*_\w+|[a-z]+[a-z\d]*[A-Z]\w*|[A-Za-z_$][\w$]*(?=\(\)))(?:\(\))?/g

/** "The table below" stands in the message itself. */
const isPointing = /^(?:above|below|following|unten|oben|folgend|abajo|siguiente)/

const isTellingWord = (word: string): boolean => !versions.has(word) && !knowing.has(word)

/** "Task 2", "Day 7": a word and a small number. No "May 5". */
function numbered(words: readonly string[], at: number): Name[] {
  const thing = words[at - 1]
  if (
    !thing ||
    !/^\d{1,3}$/.test(words[at]!) ||
    isMonth.test(thing) ||
    !/^\p{Lu}\p{L}{2,}$/u.test(thing)
  )
    return []
  const text = `${thing} ${words[at]}`
  return [{ text, terms: [fold(text)], which: [], kind: 'number' }]
}

const isMonth =
  /^(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)(?:[a-z]*r[yl]?|ch|il|t|ust)?$/i

/** Where the words that say which thing is meant begin: behind the article. -1 if none says that the thing is known. */
function knownFrom(words: readonly string[], at: number): number {
  const word = words[at]!
  // Arabic has its article; Hindi, Chinese, Japanese and Korean have none.
  if (/[^\p{Script=Latin}]/u.test(word)) return at
  for (let begin = at; begin > Math.max(0, at - 4); begin--) {
    if (knowing.has(words[begin - 1]!)) return begin
    if (/^(?:a|an|ein|eine|einen|un|una)$/.test(words[begin - 1]!)) return -1
  }
  return -1
}

/** How many of the newest messages with the words of a name are looked at. */
const mostLooked = 48

/** A shorter message mentions a thing; it is not the thing. */
const leastTokens = 80
const leastLines = 4

/** Of several things the one that is meant shares the most words with the message; of its versions the newest. */
function newestVersion(
  transcript: Transcript,
  index: RankedIndex,
  name: Name,
  user: number,
  shareOf: (unit: number, beside: number) => number,
): number {
  const versions: { readonly unit: number; readonly share: number }[] = []
  for (const unit of unitsWith(index, name, user)) {
    const { tokens, kind } = transcript.units[unit]!
    if (tokens < leastTokens || (kind !== 'assistant' && kind !== 'user')) continue
    const made = titlesAt(transcript, unit)
    if (made && shareIn(made, name) >= leastWhich) versions.push({ unit, share: shareOf(unit, 1) })
  }
  const best = versions.reduce((most, { share }) => Math.max(most, share), 0)
  return (
    versions.find(
      ({ share }) => share >= Math.max(name.kind === 'code' ? 0 : least, best * sameThing),
    )?.unit ?? -1
  )
}

/** The share of the words that say which thing is meant that its titles must have. */
const leastWhich = 0.5

/** A thing, with the messages beside it, says this share of the message's words by their rarity. Below it, what is found helps as little as chance. */
const least = 0.3

/** A version of the thing that is meant has this share of the best one's words. */
const sameThing = 0.7

/** The share of the words that say which thing is meant in the titles of a text; -1 if none of them names the thing. */
function shareIn({ titles, items, text }: Made, { kind, terms, which }: Name): number {
  const [first = ''] = terms
  const isFile = () => [...titles, ...items].some(title => title.includes(fold(first)))
  if (kind === 'code')
    return text.includes('```') && (first.includes('.') ? isFile() : defines(text, first)) ? 1 : -1
  if (kind === 'number')
    return [...titles, ...items].some(title => startsWith(title, first)) ? 1 : -1
  const has = titles.map(title => new Set(termsOf(title)))
  if (!has.some(words => terms.every(term => words.has(term)))) return -1
  const all = new Set(has.flatMap(words => [...words]))
  return which.length === 0 ? 1 : which.filter(term => all.has(term)).length / which.length
}

const startsWith = (title: string, start: string) =>
  title.startsWith(start) && !/^[\p{L}\p{N}]/u.test(title.slice(start.length))

const definitions = [
  'function',
  'def',
  'class',
  'const',
  'let',
  'var',
  'fn',
  'func',
  'struct',
  'interface',
  'type',
]

const defines = (text: string, name: string): boolean =>
  definitions.some(word => {
    const at = text.indexOf(`${word} ${name}`)
    return at >= 0 && !/[\w$]/.test(text.charAt(at + word.length + 1 + name.length))
  })

/** The newest units before `n` that have all terms of a name, newest first. */
function unitsWith(index: RankedIndex, { terms }: Name, n: number): readonly number[] {
  const ids = terms.flatMap(termsOf).map(term => index.vocabulary.get(term) ?? -1)
  if (ids.length === 0 || ids.some(id => id < 0)) return []
  const rarest = ids.reduce((a, b) => (index.frequency(b, n) < index.frequency(a, n) ? b : a))
  const units = index
    .postings(rarest, { n, most: 4 * mostLooked })
    .flatMap(part => Array.from(part, entryOf))
  return units
    .reverse()
    .filter(unit => ids.every(id => index.has(unit, id)))
    .slice(0, mostLooked)
}

/** The titles of a text that was made, and the beginnings of its items. */
interface Made {
  readonly text: string
  readonly titles: readonly string[]
  readonly items: readonly string[]
}

/** What a message has made; undefined if it only talks. */
function titlesAt(transcript: Transcript, unit: number): Made | undefined {
  const memory = remember(transcript, 'titles', () => ({
    made: new Map<number, Made | undefined>(),
  }))
  if (memory.made.has(unit)) return memory.made.get(unit)
  const made = readTitles(unitText(transcript, transcript.units[unit]!))
  memory.made.set(unit, made)
  return made
}

const longestTitle = 160
/** A heading, a bold line, or a line that ends with a colon. */
const titleForm = /^#{1,6}\s|^\*\*[^*]+\*\*:?\s*$|[:：]\**\s*$/

function readTitles(text: string): Made | undefined {
  const lines = text.split('\n').filter(line => line.trim() !== '')
  if (lines.length < leastLines) return undefined
  const titles: string[] = []
  const items: string[] = []
  for (const line of lines) {
    const bare = line.slice(0, 2 * longestTitle).replace(/^[\s>]+/, '')
    const item = /^(?:[-*•]|\d{1,3}[.)])\s+/.exec(bare)?.[0] ?? ''
    const content = fold(bare.slice(item.length).replace(/^[#*_\s]+/, ''))
    const isTitle = item === '' && bare.length <= longestTitle && titleForm.test(bare)
    if (isTitle) titles.push(content)
    else items.push(content.slice(0, 40))
  }
  return { text, titles, items }
}
