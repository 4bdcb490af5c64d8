import type { Message, ToolCall, ToolResult } from '../../log/message.ts'
import { attempt } from './attempt.ts'
import { answerOf, type Digester } from './exchange.ts'
import { cut, plural } from './line.ts'
import { firstSentence } from './sentence.ts'

const MAX_CALLS = 5
const MAX_LENGTH = 800
const MAX_NAME = 40
const MAX_ARGUMENTS = 80
const MAX_RESULT = 150
/** Longer arguments (a file that was written) are shown as they stand: 80 characters do not need a parsed megabyte. */
const MAX_PARSED = 100_000

interface Action {
  readonly call: ToolCall
  result?: string
}

/** What was done: `read(path="/a") → text; …`, the latest actions, then the first sentence of the final answer. */
export const digestTools: Digester = ({ messages }) => {
  const actions = readActions(messages)
  if (actions.length === 0) return undefined
  const shown: string[] = []
  let room = MAX_LENGTH
  // From the newest: what came of it all stands at the end.
  for (const action of actions.slice(-MAX_CALLS).reverse()) {
    const line = describe(action)
    if (line.length > room) break
    shown.unshift(line)
    room -= line.length + 2
  }
  const earlier = actions.length - shown.length
  if (earlier > 0) shown.unshift(`(... and ${plural(earlier, 'earlier action')})`)
  // What was said after the last call: "Let me look." before it is no answer.
  const last = messages.findLastIndex(({ calls }) => calls.length > 0)
  const sentence = firstSentence(answerOf(messages.slice(last + 1)))
  return shown.join('; ') + (sentence !== '' && sentence.length < room ? ` — ${sentence}` : '')
}

/** Calls in order, each with its result: by id where both have one, else by name and order. */
function readActions(messages: readonly Message[]): readonly Action[] {
  const actions: Action[] = []
  const waiting: Action[] = []
  for (const { calls, results } of messages) {
    for (const call of calls) waiting.push(actions[actions.push({ call }) - 1]!)
    for (const result of results) {
      const [action] = waiting.splice(indexOfCall(result, waiting), 1)
      if (action !== undefined) action.result = result.text
    }
  }
  return actions
}

/** The newest of an id, since some servers count from `call_0` in every round; past the end for a stray result. */
function indexOfCall({ callId, name }: ToolResult, waiting: readonly Action[]): number {
  const byId = callId === undefined ? -1 : waiting.findLastIndex(({ call }) => call.id === callId)
  if (byId >= 0) return byId
  const byName = waiting.findIndex(
    ({ call }) =>
      (callId === undefined || call.id === undefined) && (name === undefined || call.name === name),
  )
  return byName >= 0 ? byName : waiting.length
}

function describe({ call, result }: Action): string {
  const outcome = result === undefined ? '(no result)' : cut(result, MAX_RESULT) || '(no output)'
  return `${cut(call.name, MAX_NAME) || '?'}(${describeArguments(call.arguments)}) → ${outcome}`
}

/** As in the journal, `path="/workspace/src", depth=2`; what is no JSON object, or broken, is shown as it stands. */
function describeArguments(json: string): string {
  const isObject = json.length < MAX_PARSED && /^\s*\{/.test(json)
  const text = attempt(
    () => (isObject ? Object.entries(JSON.parse(json)).map(describeArgument).join(', ') : json),
    json,
  )
  return cut(text, MAX_ARGUMENTS)
}

/** A text is cut before it is quoted: a long one keeps its closing quote where there is room. */
function describeArgument([name, value]: readonly [string, unknown]): string {
  return `${name}=${JSON.stringify(typeof value === 'string' ? cut(value, MAX_ARGUMENTS) : value)}`
}
