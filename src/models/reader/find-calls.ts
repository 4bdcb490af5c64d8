import { parseJson, parseJsonObject } from '../../log/parse-json.ts'
import type { ToolSpec } from '../model.ts'
import { fillArguments } from './fill-arguments.ts'
import { stem } from './meaningful-words.ts'
import { isQuestion } from './split-sentences.ts'

/** A call with its place in the text. */
export interface FoundCall {
  readonly from: number
  readonly to: number
  readonly name: string
  /** The arguments; undefined if they cannot be read. */
  readonly json: string | undefined
}

/** A limit, because each call may read the rest of the text. */
const mostCalls = 100

/**
 * Finds calls that a text spells out: `call add with {"a":1}`, `use add {"a":1}`, `add(a=1, b=2)`, `add({"a":1})`; and
 * `call add`, whose arguments are taken from the words around it.
 */
export function findCalls(text: string, tools: readonly ToolSpec[]): readonly FoundCall[] {
  if (tools.length === 0) return []
  // Longest first, so that `get` does not hide `get_all`.
  const names = tools
    .map(({ name }) => name)
    .toSorted((a, b) => b.length - a.length)
    .map(escapePattern)
    .join('|')
  const opening = new RegExp(`(?<![\\w-])(?:(call|use|run)\\s+)?(${names})(?![\\w-])`, 'gi')
  const found: FoundCall[] = []
  while (found.length < mostCalls) {
    const match = opening.exec(text)
    if (match === null) break
    const tool = toolNamed(tools, match[2]!)
    const spelled = readArguments(text, opening.lastIndex, tool)
    if (spelled === undefined && match[1] === undefined) continue
    const { to, value } = spelled ?? {
      to: opening.lastIndex,
      value: fillArguments(tool.parameters, text.replace(match[0], '').trim()),
    }
    found.push({ from: match.index, to, name: tool.name, json: value && JSON.stringify(value) })
    opening.lastIndex = to
  }
  return found
}

function toolNamed(tools: readonly ToolSpec[], name: string): ToolSpec {
  return (
    tools.find(tool => tool.name === name) ??
    tools.find(tool => tool.name.toLowerCase() === name.toLowerCase())!
  )
}

type Arguments = Readonly<Record<string, unknown>>

/** Reads the arguments after a name: `with {…}`, `{…}`, `(…)`. Undefined if there are none. */
function readArguments(
  text: string,
  from: number,
  tool: ToolSpec,
): { readonly to: number; readonly value: Arguments | undefined } | undefined {
  const gap = /^(?:\s*\(|\s+with\s*:?\s*\{|\s*:?\s*\{)/i.exec(text.slice(from))
  if (gap === null) return undefined
  const start = from + gap[0].length - 1
  const { length, inside } = readBrackets(text, start)
  const to = start + length
  if (inside.startsWith('{')) return { to, value: parseJsonObject(inside) }
  const list = inside.slice(1, -1).trim()
  return { to, value: list.startsWith('{') ? parseJsonObject(list) : parseList(list, tool) }
}

/**
 * Reads the brackets that open at `start`, and their length in the text. Inside a JSON string, as in
 * `{"task":"call add with {\"by\": 2}"}`, quotes are escaped: then that string is parsed first.
 */
function readBrackets(text: string, start: number): { readonly length: number; readonly inside: string } {
  const quote = text.indexOf('"', start)
  if (quote > start && text[quote - 1] === '\\') {
    const whole = parseJson(`"${text.slice(start, quoteAfter(text, quote - 1))}"`)
    if (typeof whole === 'string') {
      const { inside, length } = readBrackets(whole, 0)
      return { inside, length: JSON.stringify(whole.slice(0, length)).length - 2 }
    }
  }
  const inside = text.slice(start, closingOf(text, start))
  return { inside, length: inside.length }
}

/** The end of the JSON string around a place: the next quote that is not escaped. */
function quoteAfter(text: string, from: number): number {
  let at = from
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at
}

/** The place after the bracket that closes the one at `start`, or the end. Brackets in strings do not count. */
function closingOf(text: string, start: number): number {
  let depth = 0
  let quoted = false
  for (let at = start; at < text.length; at++) {
    const letter = text[at]!
    if (letter === '"') quoted = !quoted
    else if (quoted) at += letter === '\\' ? 1 : 0
    else if ('{[('.includes(letter)) depth++
    else if ('}])'.includes(letter) && --depth === 0) return at + 1
  }
  return text.length
}

/** Parses `a=1, city="Kiel, harbour"`. Values without names go to the parameters in order. */
function parseList(list: string, { parameters }: ToolSpec): Arguments {
  const names = Object.keys((parameters.properties as object | undefined) ?? {})
  const items = list.match(/(?:"(?:\\.|[^"\\])*"|\{[^}]*\}|\[[^\]]*\]|[^,"[{])+/g) ?? []
  return Object.fromEntries(
    items.map((item, index) => {
      const [, name, value] = /^\s*([\p{L}_][\w-]*)\s*[=:]\s*(.*)$/su.exec(item) ?? []
      const text = (value ?? item).trim()
      const parsed = parseJson(text)
      const read = parsed === undefined ? text.replace(/^'(.*)'$/s, '$1') : parsed
      return [name ?? names[index] ?? `argument${index + 1}`, read]
    }),
  )
}

function escapePattern(name: string): string {
  return name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

/**
 * Finds tools whose names a text says in plain words: `Generate the hypotheses for https://example.org` means
 * `generate_hypotheses`. Questions and `do not …` are no orders.
 */
export function callsByName(text: string, tools: readonly ToolSpec[]): readonly FoundCall[] {
  if (isQuestion(text) && !politeOrder.test(text)) return []
  const words = readWords(text)
  const found = tools.flatMap(tool => {
    const place = findName(text, words, nameWords(tool.name))
    if (place === undefined || isForbidden.test(text.slice(0, place.from))) return []
    return [{ ...place, name: tool.name, json: JSON.stringify(fillArguments(tool.parameters, text)) }]
  })
  return withoutOverlaps(found)
}

const politeOrder = /^\W*(?:please|(?:can|could|will|would) you)\b/i
/** Words that may stand between the words of a name. */
const fillers = new Set('a an the my our your this that these those some new another'.split(' '))

interface Word {
  readonly stem: string
  readonly from: number
  readonly to: number
}

function readWords(text: string): readonly Word[] {
  return [...text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)]
    .filter(([word]) => !fillers.has(word))
    .map(({ 0: word, index }) => ({ stem: stem(word), from: index, to: index + word.length }))
}

/** `generate_hypotheses`, `generateHypotheses` and `generate-hypotheses` are the same two words. */
function nameWords(name: string): readonly string[] {
  const parts = name.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').toLowerCase()
  return parts
    .split(/[^\p{L}\p{N}]+/u)
    .filter(word => word !== '' && !fillers.has(word))
    .map(stem)
}

function findName(
  text: string,
  words: readonly Word[],
  name: readonly string[],
): Pick<Word, 'from' | 'to'> | undefined {
  if (name.length === 0) return undefined
  const at = words.findIndex(
    (_, start) =>
      name.every((part, offset) => words[start + offset]?.stem === part) &&
      // A name of one word is an order only at the beginning of a sentence or a step.
      (name.length > 1 || isBeginning.test(text.slice(0, words[start]!.from))),
  )
  return at < 0 ? undefined : { from: words[at]!.from, to: words[at + name.length - 1]!.to }
}

const isForbidden = /\b(?:not|never|don['’]?t|without)\s+(?:\w+\s+)?$/i
const isBeginning = /(?:^|[.!?,;:\n]|\b(?:please|and|then|now|first|you|to))\W*$/i

/** Sorts calls by their place in the text; of two names that overlap, the longer one is meant. */
function withoutOverlaps(found: readonly FoundCall[]): readonly FoundCall[] {
  const isHidden = ({ from, to }: FoundCall) =>
    found.some(other => other.from < to && from < other.to && other.to - other.from > to - from)
  return found.filter(one => !isHidden(one)).toSorted((a, b) => a.from - b.from)
}
