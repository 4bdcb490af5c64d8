import { readActions } from '../../log/actions.ts'
import type { ToolSpec } from '../model.ts'
import { callsByName } from './calls-by-name.ts'
import { findCalls } from './find-calls.ts'
import type { Given } from './given.ts'
import { noteToolName } from './own-note.ts'
import { type FoundCall, isSameCall, type WantedCall } from './wanted-call.ts'

/** The calls to make now, none if all is done, or why a call cannot be made. */
export type NextCalls =
  | { readonly kind: 'calls'; readonly calls: readonly WantedCall[] }
  | { readonly kind: 'refusal'; readonly text: string }
  /** All is done; `done`: how many calls were made. */
  | { readonly kind: 'none'; readonly done: number }

/** The most rounds of a plan. */
const mostRounds = 10_000

/**
 * The calls of the next round. The reader has no memory: it reads its progress from the calls after the user's message,
 * and from the journal that stands for those that were cut.
 */
export function nextCalls(given: Given, offered: readonly ToolSpec[]): NextCalls {
  const tools = offered.filter(({ name }) => name !== noteToolName)
  const found = planOf(given.asked, tools)
  const unreadable = found.flat().find(({ call }) => call === undefined)
  if (unreadable) {
    const text = `I cannot read the arguments for ${unreadable.name}: they are no JSON object.`
    return { kind: 'refusal', text }
  }
  const plan = found.map(round => round.map(({ call }) => call!))
  const done = countDone(given, plan.flat())
  const calls = remaining(plan, done)
  if (calls.length > 0) return { kind: 'calls', calls }
  const missing = done === 0 && plan.length === 0 ? missingTool(given.asked) : undefined
  if (missing === undefined) return { kind: 'none', done }
  return { kind: 'refusal', text: `I was given no tool named "${missing}".` }
}

type Round = readonly FoundCall[]

function planOf(text: string, tools: readonly ToolSpec[]): readonly Round[] {
  const [, times, what] = /^\s*repeat\s+(\d+)\s+times?\s*:\s*(.+)$/is.exec(text) ?? []
  if (times !== undefined && what !== undefined) {
    const rounds = Math.min(Number(times), mostRounds)
    return Array.from({ length: rounds }, (_, index) =>
      findCalls(what.replaceAll('$i', String(index + 1)), tools),
    )
  }
  const found = findCalls(text, tools)
  return toRounds(text, found.length > 0 ? found : callsByName(text, tools))
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
function countDone({ turn, cutActions }: Given, plan: readonly WantedCall[]): number {
  const made = readActions(turn)
    .map(({ call }) => call)
    .filter(({ name }) => name !== noteToolName)
  const counted = cutActions + made.length
  const newest = made.at(-1)
  if (newest === undefined) return counted
  const place = plan.findIndex((call, index) => index + 1 >= counted && isSameCall(call, newest))
  return place < 0 ? counted : place + 1
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
