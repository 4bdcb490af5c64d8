import {
  defaultPolicy,
  fit,
  parseMessage,
  spongebob,
  stable,
  thorough,
  thrifty,
} from '../../dist/index.js'
import { o200k } from '../../dist/tokens/o200k.js'
import { bm25, toTerms } from './bm25.mjs'

export const count = o200k()

/** The context of a policy; of another build of the library, if its `fit` is given. */
export const fitted =
  (policy, build = fit) =>
  (messages, window) => {
    const {
      messages: sent,
      tokens,
      receipt,
    } = build(messages, { window, policy, count, overflow: 'trim' })
    // A message that is nothing but a standing rule is sent word for word in the block of rules.
    const ruled = new Set(receipt.rules?.map(({ seq }) => seq))
    const has = seq => {
      const { fate } = receipt.entries[seq]
      return fate === 'kept' || fate === 'recalled' || ruled.has(seq)
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
  'BM25 and the last exchange': bm25Beside,
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

/** What twenty lines of one's own would do: the last exchange, and the messages with the best scores that fit, in order. */
function bm25Beside(messages, window) {
  const answer = messages.slice(0, -1).findLastIndex(({ role }) => role === 'assistant')
  const begin = messages.slice(0, Math.max(0, answer)).findLastIndex(({ role }) => role === 'user')
  const last = Math.max(0, begin < 0 ? messages.length - 1 : begin)
  const places = new Set([...messages.keys()].slice(last))
  let total = count.prompt + messages.slice(last).reduce((sum, message) => sum + cost(message), 0)
  const older = messages.slice(0, last)
  const scores = older.length > 0 ? bm25(older.map(termsOf))(termsOf(messages.at(-1))) : []
  for (const at of [...older.keys()].sort((a, b) => scores[b] - scores[a])) {
    if (scores[at] <= 0) break
    if (total + cost(messages[at]) > window) continue
    total += cost(messages[at])
    places.add(at)
  }
  const sent = messages.filter((_, at) => places.has(at))
  return { sent, tokens: total, has: seq => places.has(seq), isCut: sent.length < messages.length }
}

const terms = new WeakMap()

function termsOf(message) {
  if (!terms.has(message)) terms.set(message, toTerms(message.content))
  return terms.get(message)
}
