import { type Action, describeArguments, readActions } from '../../log/actions.ts'
import { cut } from '../../log/line.ts'
import { earlierActions } from '../../log/texts.ts'
import { noteToolName } from '../../log/tool-names.ts'
import { answerOf, type Digester } from './exchange.ts'
import { firstSentence } from './text.ts'

const MAX_CALLS = 5
const MAX_LENGTH = 800
const MAX_NAME = 40
const MAX_ARGUMENTS = 80
const MAX_RESULT = 150
/** What a call that is only named may take of a short line. */
const SHORT_ARGUMENTS = 40

/** The latest calls, `read(path="/a") → text; …`, or without results the largest ones, and the first sentence of the answer. */
export const digestTools: Digester = ({ messages }, max = MAX_LENGTH) => {
  const actions = readActions(messages).filter(({ call }) => call.name !== noteToolName)
  if (actions.length === 0) return undefined
  // Only text after the last call is an answer: "Let me look." before it is none.
  const last = messages.findLastIndex(({ calls }) => calls.length > 0)
  const most = Math.min(max, MAX_LENGTH)
  const sentence = firstSentence(
    answerOf(messages.slice(last + 1)),
    Math.min(120, Math.floor(most / 2)),
  )
  const ending = sentence === '' ? '' : ` — ${sentence}`
  const room = most - ending.length
  const ranked = bySize(actions)
  return (latestWhole(actions, ranked[0]!, room) ?? largestNamed(actions, ranked, room)) + ending
}

/** The latest calls that fit, with their results; undefined if the largest call is not among them. */
function latestWhole(
  actions: readonly Action[],
  largest: number,
  room: number,
): string | undefined {
  const shown: string[] = []
  let left = room - (actions.length > 1 ? MAX_EARLIER : 0)
  for (const action of actions.slice(-MAX_CALLS).reverse()) {
    const line = describe(action)
    if (line.length > left) break
    shown.unshift(line)
    left -= line.length + 2
  }
  const earlier = actions.length - shown.length
  if (largest < earlier) return undefined
  return [...(earlier > 0 ? [earlierActions(earlier)] : []), ...shown].join('; ')
}

/** The largest calls that fit, in order and without results: the call that wrote a page was given the page. */
function largestNamed(actions: readonly Action[], ranked: readonly number[], room: number): string {
  const named = new Map<number, string>()
  let left = room - MAX_MORE
  for (const at of ranked.slice(0, MAX_CALLS)) {
    const line = name(actions[at]!, SHORT_ARGUMENTS)
    if (named.size > 0 && line.length + 2 > left) continue
    named.set(at, line)
    left -= line.length + 2
  }
  const lines = [...named].sort(([a], [b]) => a - b).map(([, line]) => line)
  const more = actions.length - lines.length
  return cut(lines.join('; ') + (more > 0 ? ` (+${more} more)` : ''), Math.max(1, room))
}

/** Places of the calls, those with the longest arguments first, the newest among equals. */
function bySize(actions: readonly Action[]): readonly number[] {
  const size = (at: number) => actions[at]!.call.arguments.length
  return [...actions.keys()].sort((a, b) => size(b) - size(a) || b - a)
}

/** Room for `(... and 99 earlier actions); `. */
const MAX_EARLIER = 30
/** Room for ` (+99 more)`. */
const MAX_MORE = 11

function describe(action: Action): string {
  const { result } = action
  const outcome = result === undefined ? '(no result)' : cut(result, MAX_RESULT) || '(no output)'
  return `${name(action, MAX_ARGUMENTS)} → ${outcome}`
}

const name = ({ call }: Action, max: number) =>
  `${cut(call.name, MAX_NAME) || '?'}(${describeArguments(call.arguments, max)})`
