import { type Action, describeArguments, readActions } from '../log/actions.ts'
import { cut } from '../log/line.ts'
import type { Message, ToolCall } from '../log/message.ts'
import { tellFault, tellResult } from '../log/telling.ts'
import { earlierActions, previousActionsTitle } from '../log/texts.ts'
import { noteToolName } from '../log/tool-names.ts'
import { neutralizeNotes } from './neutralize.ts'

const MAX_LENGTH = 4000
const MAX_NAME = 64
const MAX_ARGUMENTS = 80
const MAX_RESULT = 150
const MAX_FAULT = 60
/** Room for `(... and N earlier actions)`. */
const MAX_EARLIER = 40

/**
 * Lists the tool calls of one turn, a line for each, without a model:
 * `1. [list_directory] path="/workspace/src" → index.html, about.html`.
 *
 * At most `max` characters (4000): the oldest lines collapse to `(... and N earlier actions)`, the others keep their numbers.
 * Calls that write notes are left out and not counted. Empty when there were no calls. `isShort`: a result is told only
 * if it failed or the call has no arguments.
 */
export function journalOf(
  messages: readonly Message[],
  max: number = MAX_LENGTH,
  isShort = false,
): string {
  const { from, actions } = newestActions(place => messages[place]!, 0, messages.length, max)
  return writeJournal({ earlier: countCalls(messages.slice(0, from)), actions }, max, isShort)
}

/** The newest actions, as many as a journal of `max` characters may hold, and where they begin: there may be thousands before. */
export function newestActions(
  at: (place: number) => Message,
  first: number,
  end: number,
  max: number,
) {
  let from = end
  for (let calls = 0; from > first && calls <= max / leastLine; ) calls += countCalls([at(--from)])
  const newest = Array.from({ length: end - from }, (_, place) => at(from + place))
  return { from, actions: readActions(newest).filter(({ call }) => call.name !== noteToolName) }
}

/** The shortest line, `1. [a]`, with its newline. */
const leastLine = 7

/** How many calls messages make, without those that write notes. */
export function countCalls(messages: readonly Message[]): number {
  let count = 0
  for (const { calls } of messages)
    for (const { name } of calls) if (name !== noteToolName) count += 1
  return count
}

/** The newest actions of a turn, and how many there are before them. */
export interface NewestActions {
  readonly earlier: number
  readonly actions: readonly Action[]
}

/** `results`: how many of the newest lines tell a result all the same, where `isShort` does not. */
export function writeJournal(
  newest: NewestActions,
  max: number,
  isShort: boolean,
  results = 0,
): string {
  const { earlier, actions } = newest
  const lines: string[] = []
  let room = max
  // Newest first, so that the work does not grow with the turn.
  for (let index = actions.length - 1; index >= 0; index--) {
    const number = earlier + index + 1
    const action = actions[index]!
    const tellsResult = index >= actions.length - results
    const line = `${number}. ${isShort ? describeShort(action, tellsResult) : describe(action)}`
    if (line.length + 1 + (number > 1 ? MAX_EARLIER : 0) > room) break
    lines.push(line)
    room -= line.length + 1
  }
  const untold = earlier + actions.length - lines.length
  if (untold > 0) lines.push(earlierActions(untold))
  return lines.reverse().join('\n')
}

/** The previous turn's journal under its title, `[Summary of previous turn actions:] 1. …`; empty without calls. */
export function previousTurnSummary(messages: readonly Message[]): string {
  const journal = journalOf(messages)
  return journal === '' ? '' : `${previousActionsTitle} ${journal}`
}

function describe({ call, result }: Action): string {
  const outcome =
    result === undefined ? '(no result yet)' : inert(tellResult(result, MAX_RESULT), MAX_RESULT)
  return lineOf(call, describeArguments(call.arguments, MAX_ARGUMENTS), outcome || '(no output)')
}

/** Of a turn that goes on: the call, and its result if that failed, if there is nothing else to tell, or if there is room. */
function describeShort({ call, result = '' }: Action, tellsResult: boolean): string {
  const args = describeArguments(call.arguments, MAX_ARGUMENTS, true)
  const isTold = tellsResult || args === ''
  const outcome =
    tellFault(result, MAX_FAULT) ?? (isTold ? tellResult(result, MAX_FAULT) : undefined)
  return lineOf(call, args, outcome ? inert(outcome, MAX_FAULT) : undefined)
}

function lineOf(call: ToolCall, args: string, outcome: string | undefined): string {
  const name = neutralizeNotes(`[${cut(call.name, MAX_NAME) || '?'}]`)
  const shown = inert(args, MAX_ARGUMENTS)
  return [
    name,
    ...(shown === '' ? [] : [shown]),
    ...(outcome === undefined ? [] : ['→', outcome]),
  ].join(' ')
}

/** A tool's text cut, then with its notes quoted: a tool must not write notes. Cutting first makes 5 MB cheap. */
const inert = (text: string, max: number): string => cut(neutralizeNotes(cut(text, max)), max)
