import { contextOf } from './measure-follow.mjs'

/** What people say after a paste. */
const afterPaste = [
  'Thanks.',
  'And who is responsible for that?',
  'Is there a deadline in it?',
  'Which part is the riskiest?',
  'Put that in one sentence.',
  'Anything else I should know?',
]

/** Written for this bench: each is said once, early or in the middle, before what was really said there. */
const standingRules = [
  'Never put my phone number into a file.',
  'From now on give every length in metres, not in feet.',
  'End every reply with the word "over".',
  'When you cite something, always name the page.',
  'Do not send any messages on my behalf for the rest of this conversation.',
]

/** The shares of the room that a pasted text takes. */
export const pasteShares = [0.3, 0.5, 0.7]

/**
 * A text is pasted into a conversation that has outgrown its room, and six follow-ups are said about it, each of them answered. For each
 * share of the room: the mean number of follow-ups for which the paste is sent whole.
 */
export function measurePaste(conversations, fit, options) {
  const room = options.window - options.reserve
  return pasteShares.map(share => {
    const held = conversations.flatMap(({ messages }) => {
      const before = upToTokens(messages, 1.5 * room)
      const rest = messages.slice(before.length).filter(({ role }) => role === 'assistant')
      const pasted = textOf(rest, share * room)
      return pasted === undefined ? [] : [countHeld(before, pasted, rest)]
    })
    return held.reduce((sum, count) => sum + count, 0) / Math.max(1, held.length)
  })

  function countHeld(before, pasted, rest) {
    const paste = { role: 'user', content: `Here is a text:\n${pasted}\nPlease sum it up.` }
    const chat = [...before, paste, { role: 'assistant', content: rest[0].content.slice(0, 300) }]
    let count = 0
    for (const [at, content] of afterPaste.entries()) {
      chat.push({ role: 'user', content })
      const sent = contextOf({ context: () => fit(chat, options) })?.messages ?? []
      count += sent.some(message => message.content.includes(pasted)) ? 1 : 0
      chat.push({ role: 'assistant', content: rest[(at + 1) % rest.length].content.slice(0, 300) })
    }
    return count
  }
}

/** The share of rules that are in view, word for word, at the end of a conversation: said early, and said in the middle. */
export function measureRules(conversations, fit, options) {
  const sum = { asked: 0, early: 0, middle: 0 }
  for (const { messages } of conversations) {
    const last = messages.findLastIndex(({ role }) => role === 'user')
    const users = messages.slice(0, last).flatMap(({ role }, at) => (role === 'user' ? [at] : []))
    for (const rule of standingRules) {
      sum.asked += 1
      // The first user message always stays, so early is the second.
      for (const [where, at] of Object.entries({
        early: users[1],
        middle: users[users.length >> 1],
      })) {
        const chat = messages.slice(0, last + 1)
        chat[at] = { ...chat[at], content: `${rule}\n\n${chat[at].content}` }
        const sent = contextOf({ context: () => fit(chat, options) })?.messages ?? []
        sum[where] += sent.some(
          ({ content }) => typeof content === 'string' && content.includes(rule),
        )
          ? 1
          : 0
      }
    }
  }
  const share = count => count / Math.max(1, sum.asked)
  return { early: share(sum.early), middle: share(sum.middle) }
}

/** About as many tokens: four characters are counted as one. */
const sizeOf = ({ content }) => content.length / 4

function upToTokens(messages, most) {
  let tokens = 0
  let end = 0
  while (end < messages.length && tokens < most) tokens += sizeOf(messages[end++])
  // Ends with an answer.
  while (end < messages.length && messages[end - 1].role !== 'assistant') end += 1
  return messages.slice(0, end)
}

/** The texts of messages in a row until they have so many tokens; undefined if there are too few. */
function textOf(messages, tokens) {
  const text = messages.map(({ content }) => content).join('\n\n')
  return text.length >= 4 * tokens ? text.slice(0, Math.floor(4 * tokens)).trim() : undefined
}
