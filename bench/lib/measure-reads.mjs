import { cost, count } from './policies.mjs'

/** How much of a prompt is read again: every user message is a call, and calls after the first cut count. */
export function measureReads(conversations, build, window) {
  let turns = 0
  let read = 0
  let total = 0
  for (const { turns: messages } of conversations) {
    let previous
    for (const [at, message] of messages.entries()) {
      if (message.role !== 'user') continue
      const { sent, tokens, isCut } = build(messages.slice(0, at + 1), window)
      if (previous && isCut) {
        turns += 1
        total += tokens
        read += tokens - sharedPrefix(previous, sent)
      }
      previous = sent
    }
  }
  return {
    reuse: Number((total > 0 ? 1 - read / total : 0).toFixed(4)),
    read,
    readPerTurn: Math.round(turns > 0 ? read / turns : 0),
    full: Number((turns > 0 ? total / (turns * window) : 0).toFixed(4)),
    turns,
  }
}

/** Tokens of the messages that both prompts begin with. */
function sharedPrefix(before, now) {
  let tokens = count.prompt
  for (let at = 0; at < Math.min(before.length, now.length) && isSame(before[at], now[at]); at++)
    tokens += cost(now[at])
  return tokens
}

function isSame(a, b) {
  return a === b || (a.role === b.role && a.content === b.content)
}
