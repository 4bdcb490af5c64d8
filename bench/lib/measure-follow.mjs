/** Words of four letters or more. */
const wordsOf = text =>
  new Set(text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}'’_-]{3,}/gu) ?? [])

/** Words of a reply that more messages than this have are no sign of what the reply needed. */
const mostSaid = 8
/** Replies with fewer rarer words say too little. */
const fewestWords = 3

/** The exchanges before the last one that are looked for. */
const depthsAsked = [2, 3, 4]

/** The marker, and the framing of the prompt. */
const framing = 60

const tokensOf = entries => entries.reduce((sum, { tokens }) => sum + tokens, 0)

/**
 * What a user has who follows up on what was just said. At every user message after the conversation has outgrown its room:
 * `lost`: is the exchange before not sent whole, though it would fit? `next`: the share of the rarer words of the reply that was really
 * given which is in view. `read`: a quarter of the characters that differ from the prompt before. `full`: the share of the room that is
 * sent. `depths`: the share of the exchanges 2, 3 and 4 back that are sent whole, of those that the tail holds whole. `gain`: words of the reply that only recalled messages bring into view, for 1,000 recalled tokens; `chance` and `recent`: the same
 * for as many tokens of left-out messages, taken evenly and the newest ones.
 */
export function measureFollow(conversations, createFitter, options) {
  const sum = { turns: 0, lost: 0, replies: 0, next: 0, read: 0, full: 0, refused: 0 }
  const depths = depthsAsked.map(() => ({ held: 0, whole: 0 }))
  const blocks = {
    gain: { words: 0, tokens: 0 },
    chance: { words: 0, tokens: 0 },
    recent: { words: 0, tokens: 0 },
  }
  for (const { messages } of conversations) {
    const words = messages.map(({ content }) => wordsOf(content))
    const said = new Map()
    const fitter = createFitter(options)
    let previous = ''
    for (const [at, message] of messages.entries()) {
      fitter.append(message)
      if (message.role === 'user' && messages[at + 1]?.role !== 'user') {
        const context = contextOf(fitter)
        if (!context) sum.refused += 1
        else if (tokensOf(context.receipt.entries) > context.receipt.capacity)
          previous = look(at, context, previous)
      }
      for (const word of words[at]) said.set(word, (said.get(word) ?? 0) + 1)
    }

    function look(at, { messages: sent, receipt }, before) {
      const texts = sent.map(({ content }) =>
        typeof content === 'string' ? content : JSON.stringify(content),
      )
      const prompt = texts.join('\n')
      sum.turns += 1
      sum.full += receipt.tokens / receipt.capacity
      sum.read += (prompt.length - sharedLength(before, prompt)) / 4
      sum.lost += isLost(messages, at, receipt) ? 1 : 0
      countDepths(messages, at, receipt)
      if (messages[at + 1]?.role !== 'assistant') return prompt
      const needed = [...words[at + 1]].filter(
        word => said.get(word) <= mostSaid && !words[at].has(word),
      )
      if (needed.length < fewestWords) return prompt
      const view = wordsOf(prompt)
      sum.replies += 1
      sum.next += needed.filter(word => view.has(word)).length / needed.length
      const recalled = receipt.entries.filter(({ fate }) => fate === 'recalled')
      if (recalled.length === 0) return prompt
      const others = wordsOf(
        texts.filter(text => !text.includes('[Earlier in this conversation:]')).join('\n'),
      )
      const open = needed.filter(word => !others.has(word))
      const left = receipt.entries.filter(
        ({ fate, role }) => fate === 'omitted' && role !== 'system',
      )
      const evenly = left.map(
        (_, step) => left[Math.floor((step * 0.618034 * left.length) % left.length)],
      )
      const most = tokensOf(recalled)
      for (const [name, entries] of [
        ['gain', recalled],
        ['chance', upTo(evenly, most)],
        ['recent', upTo(left.toReversed(), most)],
      ]) {
        blocks[name].tokens += tokensOf(entries)
        blocks[name].words += open.filter(word =>
          entries.some(({ seq }) => words[seq].has(word)),
        ).length
      }
      return prompt
    }
  }

  /** Of the exchanges that the newest messages that fit hold whole, which are sent whole? */
  function countDepths(messages, at, { entries, capacity }) {
    const begins = exchangeBegins(messages, at)
    const tail = tailBegin(messages, at, entries, capacity)
    for (const [place, back] of depthsAsked.entries()) {
      const begin = begins.at(-1 - back)
      if (begin === undefined || begin < tail) continue
      const exchange = entries.slice(begin, begins.at(-back))
      depths[place].held += 1
      depths[place].whole += exchange.every(isThere) ? 1 : 0
    }
  }

  const perThousand = ({ words, tokens }) => (tokens > 0 ? (1000 * words) / tokens : 0)
  return {
    turns: sum.turns,
    refused: sum.refused,
    lost: sum.lost,
    depths: depths.map(({ held, whole }) => whole / Math.max(1, held)),
    next: sum.next / Math.max(1, sum.replies),
    read: sum.read / Math.max(1, sum.turns),
    full: sum.full / Math.max(1, sum.turns),
    recalled: blocks.gain.tokens / Math.max(1, sum.replies),
    gain: perThousand(blocks.gain),
    chance: perThousand(blocks.chance),
    recent: perThousand(blocks.recent),
  }
}

/** What is recalled for follow-ups or other messages that name nothing old, each asked at one place of every conversation, beyond what a message without a meaning has in view. */
export function measureNoise(conversations, fit, options, followUps) {
  const sum = { asked: 0, answered: 0, tokens: 0 }
  for (const { messages } of conversations) {
    const answers = messages.flatMap(({ role }, at) =>
      role === 'assistant' && at > messages.length * 0.4 ? [at] : [],
    )
    for (const [index, content] of followUps.entries()) {
      const past = messages.slice(
        0,
        answers[Math.floor(((index + 0.5) * answers.length) / followUps.length)] + 1,
      )
      const recalledFor = text => {
        const context = contextOf({
          context: () => fit([...past, { role: 'user', content: text }], options),
        })
        return (
          context?.receipt.cut && context.receipt.entries.filter(({ fate }) => fate === 'recalled')
        )
      }
      const recalled = recalledFor(content)
      if (!recalled) continue
      const before = new Set(recalledFor('Xqzvw.')?.map(({ seq }) => seq))
      const tokens = tokensOf(recalled.filter(({ seq }) => !before.has(seq)))
      sum.asked += 1
      sum.tokens += tokens
      sum.answered += tokens > 0 ? 1 : 0
    }
  }
  return {
    asked: sum.asked,
    share: sum.answered / Math.max(1, sum.asked),
    tokens: sum.tokens / Math.max(1, sum.asked),
  }
}

/** Undefined where what must be sent does not fit. */
export function contextOf(fitter) {
  try {
    return fitter.context()
  } catch (error) {
    if (error.code === 'context_overflow') return undefined
    throw error
  }
}

function isLost(messages, at, { entries, capacity }) {
  const begin = exchangeBefore(messages, at)
  if (begin < 0) return false
  const must = entries
    .slice(0, begin)
    .filter(({ fate, role, rule }) => fate === 'kept' && (role === 'system' || rule === 'first'))
  const fits = tokensOf([...must, ...entries.slice(begin, at + 1)]) + framing <= capacity
  return fits && entries.slice(begin, at).some(({ fate }) => fate !== 'kept' && fate !== 'recalled')
}

/** The messages that begin an exchange, up to a user message. */
function exchangeBegins(messages, at) {
  return messages.slice(0, at + 1).flatMap(({ role }, place) => {
    return role === 'user' && messages[place - 1]?.role !== 'user' ? [place] : []
  })
}

/** The oldest of the newest messages that fit beside the system prompt. */
function tailBegin(messages, at, entries, capacity) {
  const first = messages.findIndex(({ role }) => role !== 'system')
  let tokens = framing + tokensOf(entries.slice(0, first))
  let begin = at + 1
  while (begin > 0 && tokens + entries[begin - 1].tokens <= capacity)
    tokens += entries[--begin].tokens
  return begin
}

const isThere = ({ role, fate }) => role === 'system' || fate === 'kept' || fate === 'recalled'

/** The first message of the exchange before a user message, or -1. */
function exchangeBefore(messages, at) {
  const answer = messages.slice(0, at).findLastIndex(({ role }) => role === 'assistant')
  let begin = messages.slice(0, Math.max(0, answer)).findLastIndex(({ role }) => role === 'user')
  while (begin > 0 && messages[begin - 1].role === 'user') begin -= 1
  return begin
}

function upTo(entries, most) {
  const taken = []
  for (let tokens = 0, at = 0; at < entries.length && tokens < most; at++) {
    taken.push(entries[at])
    tokens += entries[at].tokens
  }
  return taken
}

function sharedLength(a, b) {
  let length = 0
  while (length < a.length && a[length] === b[length]) length += 1
  return length
}
