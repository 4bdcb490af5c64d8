import { parseJson, parseJsonObject } from '../../log/parse-json.ts'
import type { ToolSpec } from '../model.ts'
import { fillArguments } from './fill-arguments.ts'

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
  for (
    let match = opening.exec(text);
    match !== null && found.length < mostCalls;
    match = opening.exec(text)
  ) {
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
