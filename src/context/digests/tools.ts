import { type Action, describeArguments, readActions } from '../../log/actions.ts'
import { cut } from '../../log/line.ts'
import { earlierActions } from '../../log/texts.ts'
import { answerOf, type Digester } from './exchange.ts'
import { firstSentence } from './text.ts'

const MAX_CALLS = 5
const MAX_LENGTH = 800
const MAX_NAME = 40
const MAX_ARGUMENTS = 80
const MAX_RESULT = 150

/** Digests tool calls: `read(path="/a") → text; …`, the latest ones, then the first sentence of the final answer. */
export const digestTools: Digester = ({ messages }) => {
  const actions = readActions(messages)
  if (actions.length === 0) return undefined
  const shown: string[] = []
  let room = MAX_LENGTH
  // From the newest, as the outcome stands at the end.
  for (const action of actions.slice(-MAX_CALLS).reverse()) {
    const line = describe(action)
    if (line.length > room) break
    shown.unshift(line)
    room -= line.length + 2
  }
  const earlier = actions.length - shown.length
  if (earlier > 0) shown.unshift(earlierActions(earlier))
  // Only text after the last call is an answer: "Let me look." before it is none.
  const last = messages.findLastIndex(({ calls }) => calls.length > 0)
  const sentence = firstSentence(answerOf(messages.slice(last + 1)))
  return shown.join('; ') + (sentence !== '' && sentence.length < room ? ` — ${sentence}` : '')
}

function describe({ call, result }: Action): string {
  const outcome = result === undefined ? '(no result)' : cut(result, MAX_RESULT) || '(no output)'
  return `${cut(call.name, MAX_NAME) || '?'}(${describeArguments(call.arguments, MAX_ARGUMENTS)}) → ${outcome}`
}
