import { cut } from './line.ts'
import type { Message, ToolCall } from './message.ts'
import { openRound } from './round.ts'
import { attempt } from './values.ts'

/** A tool call of a turn, with its result when there is one. */
export interface Action {
  readonly call: ToolCall
  result?: string
}

/** The calls of a turn in order, each with its result. A result that answers no call of its round is left out. */
export function readActions(messages: readonly Message[]): readonly Action[] {
  const actions: Action[] = []
  let round = openRound([])
  let from = 0
  for (const { calls, results } of messages) {
    if (calls.length > 0) {
      round = openRound(calls)
      from = actions.length
      for (const call of calls) actions.push({ call })
    }
    for (const result of results) {
      const at = round.take(result)
      if (at >= 0) actions[from + at]!.result = result.text
    }
  }
  return actions
}

/** Longer arguments (a whole file) are not parsed: a line of 80 characters is not worth parsing a megabyte. */
const mostParsed = 100_000

/** The names under which agents' tools take a file. */
export const fileFields =
  'file_path filePath path absolute_path file filename target_file notebook_path'.split(' ')

/** The file comes first and the texts follow: numbers and switches tell least of a line that is cut. */
function weightOf([name, value]: readonly [string, unknown]): number {
  if (typeof value !== 'string') return 2
  return fileFields.includes(name) ? 0 : 1
}

/** Arguments as people read them: `path="/src", depth=2`; broken JSON stays. `isBare`: a single text comes without its name. */
export function describeArguments(json: string, max: number, isBare = false): string {
  if (json.length > mostParsed || !/^\s*\{/.test(json)) return cut(json, max)
  // A text is cut before it is quoted, so that a long one keeps its closing quote where there is room.
  const describe = ([name, value]: [string, unknown]) =>
    `${name}=${JSON.stringify(typeof value === 'string' ? cut(value, max) : value)}`
  const described = attempt(() => {
    const pairs = Object.entries(JSON.parse(json)).sort((a, b) => weightOf(a) - weightOf(b))
    const [[, only] = []] = pairs
    return isBare && pairs.length === 1 && typeof only === 'string'
      ? only
      : pairs.map(describe).join(', ')
  }, json)
  return cut(described, max)
}
