import { shownWindow } from '@throughline/core/tokens'
import { cut, groupBy } from '@throughline/core/values'
import type { LoggedMessage, Thread, ThreadCall } from '@throughline/history'
import { predictedIn, readPlan } from '@throughline/history/calls'
import type { StoredTurn } from '@throughline/stores/store'
import { applyChange, type Environment } from './environment.ts'
import { type ExperimentState, stepsOf } from './log/experiment-log.ts'
import {
  type ExperimentThreads,
  type RoleData,
  readState,
  stepOf,
} from './log/experiment-threads.ts'

/** Which steps are shown. */
export interface StepRange {
  /** The first step. Default 1. */
  readonly from?: number
  /** How many steps at most. */
  readonly limit?: number
}

/** What happened in a step. */
export interface ExperimentStep {
  /** Its number, counted from 1. */
  readonly step: number
  /** The roles that acted, in their order. */
  readonly acts: readonly RoleAct[]
}

/** What a role did in a step. Texts are cut; the role's thread has them whole, from entry `first` to `last`. */
export interface RoleAct
  extends Pick<StoredTurn, 'turn' | 'status' | 'first' | 'last' | 'startedAt'> {
  /** The name of the role. */
  readonly role: string
  /** When the turn ended, in milliseconds since 1970; absent while it is open. */
  readonly endedAt?: number
  /** The code of a failed turn. */
  readonly error?: string
  /** What the model said. */
  readonly text: string
  /** The tools that it called, in order. */
  readonly tools: readonly ToolUse[]
  /** The model calls of the turn, oldest first. */
  readonly calls: readonly ActCall[]
}

/** A call of a tool, and what came of it. */
export interface ToolUse {
  /** The entry of the call. */
  readonly seq: number
  /** The name of the tool. */
  readonly name: string
  /** The beginning of the JSON that the model wrote. */
  readonly arguments: string
  /** Absent while the tool runs. */
  readonly result?: string
  /** Whether the tool failed; absent while it runs. */
  readonly isError?: boolean
  /** The variables that it changed, and their new values as JSON. */
  readonly changes: Readonly<Record<string, string>>
}

export type ActCall = Readonly<ReturnType<typeof toActCall>>

/** Texts are for a glance: the beginning is enough. */
const mostText = 300

/** Shows what each role did in each step of a range, also in a step that is not over. */
export async function showSteps(
  threads: ExperimentThreads,
  { from = 1, limit = Number.POSITIVE_INFINITY }: StepRange = {},
): Promise<readonly ExperimentStep[]> {
  const state = await readState(threads)
  const last = Math.min(from + limit - 1, stepsOf(state) + 1)
  const acts: Done[] = []
  for (const role of state.created.roles)
    for (const act of await readActs(threads.roleThread(role), role, from, last)) acts.push(act)
  const actsOf = groupBy(acts, ({ step }) => step)
  const steps: ExperimentStep[] = []
  let environment = environmentAt(state, from - 1)
  for (let step = from; step <= last; step++) {
    const done = (actsOf.get(step) ?? []).map(({ step: _, ...act }): RoleAct => {
      const tools = act.tools.map(({ patches, ...tool }): ToolUse => {
        environment = applyChange(environment, patches)
        return { ...tool, changes: changesOf(patches, environment) }
      })
      return { ...act, tools }
    })
    if (step <= stepsOf(state) || done.length > 0) steps.push({ step, acts: done })
    environment = environmentAt(state, step) ?? environment
  }
  return steps
}

type Patches = NonNullable<RoleData['patches']>
type PatchedTool = Omit<ToolUse, 'changes'> & { readonly patches: Patches }
type Done = Omit<RoleAct, 'tools'> & {
  readonly step: number
  readonly tools: readonly PatchedTool[]
}

const environmentAt = ({ snapshots, created }: ExperimentState, step: number): Environment =>
  snapshots[step]?.environment ?? snapshots.at(-1)?.environment ?? created.environment

function changesOf(patches: Patches, environment: Environment): Readonly<Record<string, string>> {
  const names = new Set(patches.map(({ path }) => String(path[0])))
  return Object.fromEntries(
    [...names].map(name => [name, cut(JSON.stringify(environment[name]) ?? '', mostText)]),
  )
}

/** What a role did, by its turns. A step has several turns if another process closed the first. */
async function readActs(
  thread: Thread,
  role: string,
  from: number,
  to: number,
): Promise<readonly Done[]> {
  const turns = (await thread.turns()).flatMap(turn => {
    const step = stepOf(turn) ?? 0
    return step >= from && step <= to ? [{ ...turn, step }] : []
  })
  const [first, last] = [turns[0], turns.at(-1)]
  if (!first || !last) return []
  const entries = await thread.entries({ at: last.last, limit: last.last - first.first + 1 })
  const calls = groupBy(await callsSince(thread, first.turn), ({ turn }) => turn)
  return [...groupBy(turns, ({ step }) => step).values()].map(of => {
    const { first: begin, startedAt } = of[0]!
    const { step, turn, status, last, endedAt, error } = of.at(-1)!
    return {
      ...{ step, role, turn, status, first: begin, last, startedAt, endedAt, error },
      ...readSaid(entries.slice(begin - first.first, last - first.first + 1)),
      calls: of.flatMap(one => calls.get(one.turn) ?? []).map(toActCall),
    }
  })
}

function readSaid(entries: readonly LoggedMessage[]): Pick<Done, 'text' | 'tools'> {
  const texts: string[] = []
  const tools: PatchedTool[] = []
  const places = new Map<string | undefined, number>()
  for (const { seq, reading, data, isError = false } of entries) {
    const { role, text, calls, results } = reading
    if (role === 'assistant' && text !== '') texts.push(text)
    for (const { id, name, arguments: json } of calls) {
      places.set(id, tools.length)
      tools.push({ seq, name, arguments: cut(json, mostText), patches: [] })
    }
    for (const { callId, text } of results) {
      const at = places.get(callId)
      if (at === undefined) continue
      const { patches = [] } = (data as RoleData | undefined) ?? {}
      tools[at] = { ...tools[at]!, result: cut(text, mostText), isError, patches }
    }
  }
  return { text: cut(texts.join('\n'), mostText), tools }
}

/** The calls of a turn and of those after it, oldest first: the newest are read, four times as many each time. */
async function callsSince(thread: Thread, turn: number): Promise<readonly ThreadCall[]> {
  for (let limit = 64; ; limit *= 4) {
    const calls = await thread.calls({ limit })
    if (calls.length === limit && calls.at(-1)!.turn >= turn) continue
    return calls.filter(one => one.turn >= turn).reverse()
  }
}

/** Window and reserve in the model's tokens; no window while it is unknown. `factor`: the calibration of our counts; absent for 1. */
function toActCall(call: ThreadCall) {
  const { id, status, model, reported } = call
  const { window, reserve, factor } = readPlan(call.plan)
  return {
    ...{ id, status, model, reserve, predicted: predictedIn(call), factor, reported },
    window: shownWindow(window),
  }
}
