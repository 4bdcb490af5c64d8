import { AIMessage, HumanMessage, SystemMessage, trimMessages } from '@langchain/core/messages'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { messageTokens, windowTokens } from './conversation.mjs'

const classes = { system: SystemMessage, user: HumanMessage, assistant: AIMessage }

export const langchain = [
  trimming('langchain trimMessages exact', countTokens),
  memoised('langchain trimMessages memoised'),
  trimming('langchain trimMessages chars/4', text => Math.ceil(text.length / 4)),
]

/**
 * `trimMessages` wants a counter of lists and asks it for the whole list, then for the list without its oldest
 * message, and so on until it fits.
 */
function trimming(name, countText, prepare = () => {}) {
  return {
    name,
    start(history, checkTime) {
      prepare(history)
      const messages = history.map(toLangchain)
      const tokenCounter = list => {
        checkTime()
        let tokens = 0
        for (const { content } of list) tokens += countText(content) + messageTokens
        return tokens
      }
      const options = {
        maxTokens: windowTokens,
        strategy: 'last',
        includeSystem: true,
        tokenCounter,
      }
      return async turn => {
        messages.push(...turn.map(toLangchain))
        return (await trimMessages(messages, options)).length
      }
    },
  }
}

/** Remembers counts by text, because `trimMessages` copies every message before it counts. */
function memoised(name) {
  const known = new Map()
  const countText = text => {
    const before = known.get(text)
    if (before !== undefined) return before
    const tokens = countTokens(text)
    known.set(text, tokens)
    return tokens
  }
  const prepare = history => {
    for (const { content } of history) countText(content)
  }
  return trimming(name, countText, prepare)
}

function toLangchain({ role, content }) {
  return new classes[role](content)
}
