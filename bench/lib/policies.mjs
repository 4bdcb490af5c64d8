import { defaultPolicy, fit, parseMessage, spongebob, stable, thorough, thrifty } from '../../dist/index.js'
import { o200k } from '../../dist/tokens/o200k.js'

export const count = o200k()

/** The context of a policy; of another build of the library, if its `fit` is given. */
export const fitted =
  (policy, build = fit) =>
  (messages, window) => {
    const { messages: sent, tokens, receipt } = build(messages, { window, policy, count, overflow: 'trim' })
    const has = seq => {
      const { fate } = receipt.entries[seq]
      return fate === 'kept' || fate === 'recalled'
    }
    return {
      sent,
      tokens,
      has,
      receipt,
      isCut: receipt.parts.marker + receipt.parts.digests > 0,
    }
  }

/** Every way of making a context that is measured: messages and a window in, what is sent and what it has out. */
export const policies = {
  'last-N': lastN,
  spongebob: fitted(spongebob()),
  stable: fitted(stable()),
  thrifty: fitted(thrifty()),
  default: fitted(defaultPolicy),
  thorough: fitted(thorough()),
}

const tokens = new WeakMap()

/** What a message costs, counted once. */
export function cost(message) {
  const known = tokens.get(message)
  if (known !== undefined) return known
  const counted = count.message(parseMessage(message, 0))
  tokens.set(message, counted)
  return counted
}

/** What LangChain, Ollama and most others do: the most recent messages that fit. */
function lastN(messages, window) {
  let total = count.prompt
  let start = messages.length
  while (start > 0 && total + cost(messages[start - 1]) <= window) total += cost(messages[--start])
  return { sent: messages.slice(start), tokens: total, has: seq => seq >= start, isCut: start > 0 }
}
