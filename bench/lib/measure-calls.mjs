import { sharedLength } from './measure-agents.mjs'

/**
 * Does the context of a step have what the agent's next calls of tools name? Every value in their arguments that stood in an
 * earlier message or result is looked for, at each step after the conversation has outgrown the window. The system prompt is
 * sent always and counts for neither. `fit` makes the context of a list of messages, `count` counts tokens of texts.
 */
export function measureCalls(runs, fit, window, count) {
  const sum = { values: 0, inView: 0, steps: 0, read: 0 }
  for (const { messages } of runs) {
    const log = []
    let tokens = 0
    let previous = ''
    for (const [at, message] of messages.entries()) {
      const values = (message.tool_calls ?? []).flatMap(call => valuesIn(call.function.arguments))
      if (values.length > 0 && tokens > window) {
        const told = log.join('\n')
        const sent = toText(fit(messages.slice(0, at)))
        const wanted = [...new Set(values)].filter(value => told.includes(value))
        sum.values += wanted.length
        sum.inView += wanted.filter(value => sent.includes(value)).length
        sum.steps += 1
        sum.read += count.text(sent.slice(sharedLength(previous, sent)))
        previous = sent
      }
      tokens += count.text(textOf(message))
      if (message.role !== 'system') log.push(textOf(message))
    }
  }
  return sum
}

/** Shorter values stand anywhere. */
const shortest = 3

/** The values in the arguments of a call, as texts; none where they are no JSON. */
function valuesIn(given) {
  try {
    return leaves(JSON.parse(given)).filter(value => value.length >= shortest)
  } catch {
    return []
  }
}

const leaves = value =>
  typeof value === 'object' && value !== null
    ? Object.values(value).flatMap(leaves)
    : [String(value)]

const textOf = ({ content, tool_calls = [] }) =>
  [content ?? '', ...tool_calls.map(call => call.function.arguments)].join('\n')

const toText = messages =>
  messages
    .filter(({ role }) => role !== 'system')
    .map(textOf)
    .join('\n')
