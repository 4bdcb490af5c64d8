import { parseJson, parseJsonObject } from '../../log/parse-json.ts'
import type { ToolSpec } from '../model.ts'

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

/** Finds calls that a text spells out: `call add with {"a":1}`, `use add {"a":1}`, `add({"a":1})`, `call look`, `look()`. */
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
    const spelled = readArguments(text, opening.lastIndex)
    if (spelled === undefined && match[1] === undefined) continue
    const { to, value } = spelled ?? { to: opening.lastIndex, value: {} }
    const { name } = toolNamed(tools, match[2]!)
    found.push({ from: match.index, to, name, json: value && JSON.stringify(value) })
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

/** Reads the arguments after a name: `with {…}`, `{…}`, `({…})`, `()`. Undefined if there are none. */
function readArguments(text: string, from: number): { to: number; value: object | undefined } | undefined {
  const gap = /^(?:\s*\(|\s+with\s*:?\s*\{|\s*:?\s*\{)/i.exec(text.slice(from))
  if (gap === null) return undefined
  const start = from + gap[0].length - 1
  const { length, inside } = readBrackets(text, start)
  const json = inside.startsWith('(') ? inside.slice(1, -1).trim() || '{}' : inside
  return { to: start + length, value: parseJsonObject(json) }
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

function escapePattern(name: string): string {
  return name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
