import { parseJson } from '../../log/parse-json.ts'
import { noteToolName } from '../../notes/note-instruction.ts'
import type { ToolSpec } from '../model.ts'
import { type FoundCall, findCalls } from './find-calls.ts'
import type { Given } from './given.ts'

/** A tool call that a text asks for. */
export interface WantedCall {
  readonly name: string
  /** JSON text of an object. */
  readonly arguments: string
}

export interface NextCalls {
  /** The calls to make now. */
  readonly calls: readonly WantedCall[]
  /** Why a call cannot be made. */
  readonly refusal?: string
  /** How many calls were made. */
  readonly done: number
}

/** The most rounds of a plan. */
const mostRounds = 10_000

/**
 * The calls of the next round. The reader has no memory: it reads its progress from the calls after the user's message,
 * and from the journal that stands for those that were cut.
 */
export function nextCalls(given: Given, offered: readonly ToolSpec[]): NextCalls {
  const tools = offered.filter(({ name }) => name !== noteToolName)
  const found = planOf(given.asked, tools)
  const unreadable = found.flat().find(({ json }) => json === undefined)
  if (unreadable) {
    const refusal = `I cannot read the arguments for ${unreadable.name}: they are no JSON object.`
    return { calls: [], refusal, done: 0 }
  }
  const plan = found.map(round => round.map(({ name, json }) => ({ name, arguments: json! })))
  const done = countDone(given, plan.flat())
  const calls = remaining(plan, done)
  const missing = done === 0 && plan.length === 0 ? missingTool(given.asked) : undefined
  return { calls, done, ...(missing !== undefined && { refusal: `I was given no tool named "${missing}".` }) }
}

type Round = readonly FoundCall[]

function planOf(text: string, tools: readonly ToolSpec[]): readonly Round[] {
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
function toRounds(text: string, found: readonly FoundCall[]): readonly Round[] {
  const rounds: FoundCall[][] = []
  let end = 0
  for (const one of found) {
    const isNext = rounds.length === 0 || /\bthen\b|\n/i.test(text.slice(end, one.from))
    if (isNext) rounds.push([one])
    else rounds.at(-1)!.push(one)
    end = one.to
  }
  return rounds
}

/**
 * How many calls of the plan are done: at least those that can be counted. If older rounds were cut without a trace, the
 * newest visible call shows the place in the plan.
 */
function countDone({ actions, cutActions }: Given, plan: readonly WantedCall[]): number {
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

/** The remaining calls of the first round that is not done. */
function remaining(plan: readonly (readonly WantedCall[])[], done: number): readonly WantedCall[] {
  let passed = 0
  for (const round of plan) {
    if (done < passed + round.length) return round.slice(Math.max(0, done - passed))
    passed += round.length
  }
  return []
}

function missingTool(text: string): string | undefined {
  return /^\W*(?:please\s+)?(?:call|use|run)\s+([\w-]+)\s+(?:with\s*)?\{/i.exec(text)?.[1]
}
