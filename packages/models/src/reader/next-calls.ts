import { noteToolName } from '@throughline/core/messages'
import { parseJson, parseJsonObject } from '@throughline/core/values'
import type { ToolSpec } from '../model.ts'
import type { ReaderInput } from './reader-input.ts'

export interface WantedCall {
  readonly name: string
  /** JSON text of an object. */
  readonly arguments: string
}

const mostRounds = 10_000

/** The calls of the next round, by those since the user's message and by the journal of those that were cut. */
export function nextCalls(input: ReaderInput, offered: readonly ToolSpec[]) {
  const tools = offered.filter(({ name }) => name !== noteToolName)
  const rounds = planOf(input.asked, tools)
  const unreadable = rounds.flat().find(({ json }) => json === undefined)
  if (unreadable) {
    const refusal = `I cannot read the arguments for ${unreadable.name}: they are no JSON object.`
    return { calls: [], refusal, done: 0 }
  }
  const plan = rounds.map(round => round.map(({ name, json }) => ({ name, arguments: json! })))
  const done = countDone(input, plan.flat())
  const calls = remaining(plan, done)
  const missing = done === 0 && plan.length === 0 ? namedTool.exec(input.asked)?.[1] : undefined
  return { calls, done, refusal: missing && `I was given no tool named "${missing}".` }
}

const namedTool = /^\W*(?:please\s+)?(?:call|use|run)\s+([\w-]+)\s+(?:with\s*)?\{/i

function planOf(text: string, tools: readonly ToolSpec[]): readonly (readonly FoundCall[])[] {
  const [, times, what] = /^\s*repeat\s+(\d+)\s+times?\s*:\s*(.+)$/is.exec(text) ?? []
  if (what !== undefined) {
    const rounds = Math.min(Number(times), mostRounds)
    return Array.from({ length: rounds }, (_, index) =>
      findCalls(what.replaceAll('$i', String(index + 1)), tools),
    )
  }
  return toRounds(text, findCalls(text, tools))
}

/** Groups calls into rounds: `and` joins calls, `then` or a new line begins the next round. */
function toRounds(text: string, calls: readonly FoundCall[]): readonly (readonly FoundCall[])[] {
  const rounds: FoundCall[][] = []
  let end = 0
  for (const one of calls) {
    const isNext = rounds.length === 0 || /\bthen\b|\n/i.test(text.slice(end, one.from))
    if (isNext) rounds.push([one])
    else rounds.at(-1)!.push(one)
    end = one.to
  }
  return rounds
}

/** How many calls are done: those that can be counted, or more if the newest call stands later in the plan. */
function countDone({ actions, cutActions }: ReaderInput, plan: readonly WantedCall[]): number {
  const counted = cutActions + actions.length
  const newest = actions.at(-1)
  if (newest === undefined) return counted
  const key = keyOf(newest.call)
  const place = plan.findIndex((call, index) => index + 1 >= counted && keyOf(call) === key)
  return place < 0 ? counted : place + 1
}

/** Equal for calls of the same tool with equal arguments, however these are written. */
function keyOf({ name, arguments: json }: WantedCall): string {
  const value = parseJson(json)
  return `${name} ${value === undefined ? json : JSON.stringify(value, sortKeys)}`
}

function sortKeys(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}

function remaining(plan: readonly (readonly WantedCall[])[], done: number): readonly WantedCall[] {
  let passed = 0
  for (const round of plan) {
    if (done < passed + round.length) return round.slice(Math.max(0, done - passed))
    passed += round.length
  }
  return []
}

/** A call with its place in the text. */
interface FoundCall {
  readonly from: number
  readonly to: number
  readonly name: string
  /** The arguments; undefined if they cannot be read. */
  readonly json: string | undefined
}

/** A limit, because each call may read the rest of the text. */
const mostCalls = 100

/** Finds calls that a text spells out: `call add with {"a":1}`, `use add {"a":1}`, `add({"a":1})`, `call look`, `look()`. */
function findCalls(text: string, tools: readonly ToolSpec[]): readonly FoundCall[] {
  if (tools.length === 0) return []
  // Longest first, so that `get` does not hide `get_all`.
  const names = tools
    .map(({ name }) => name)
    .toSorted((a, b) => b.length - a.length)
    .map(name => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('|')
  const opening = new RegExp(`(?<![\\w-])(?:(call|use|run)\\s+)?(${names})(?![\\w-])`, 'gi')
  const calls: FoundCall[] = []
  while (calls.length < mostCalls) {
    const match = opening.exec(text)
    if (match === null) break
    const spelled = readArguments(text, opening.lastIndex)
    if (spelled === undefined && match[1] === undefined) continue
    const { to, value } = spelled ?? { to: opening.lastIndex, value: {} }
    const { name } =
      tools.find(tool => tool.name === match[2]) ??
      tools.find(tool => tool.name.toLowerCase() === match[2]!.toLowerCase())!
    calls.push({ from: match.index, to, name, json: value && JSON.stringify(value) })
    opening.lastIndex = to
  }
  return calls
}

/** Reads the arguments after a name: `with {…}`, `{…}`, `({…})`, `()`. Undefined if there are none. */
function readArguments(
  text: string,
  from: number,
): { to: number; value: object | undefined } | undefined {
  const gap = /^(?:\s*\(|\s+with\s*:?\s*\{|\s*:?\s*\{)/i.exec(text.slice(from))
  if (gap === null) return undefined
  const start = from + gap[0].length - 1
  const { length, inside } = readBrackets(text, start)
  const json = inside.startsWith('(') ? inside.slice(1, -1).trim() || '{}' : inside
  return { to: start + length, value: parseJsonObject(json) }
}

/** Reads brackets, and their length in the text. Inside a JSON string quotes are escaped: it is parsed first. */
function readBrackets(
  text: string,
  start: number,
): { readonly length: number; readonly inside: string } {
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
