import { fit, type MessageLike, spongebob } from 'throughline'

const chat: MessageLike[] = Array.from({ length: 100 }, (_, n) => ({
  role: n % 2 ? 'assistant' : 'user',
  content: `message ${n}`,
}))
const { messages, receipt } = fit(chat, { window: 200, policy: spongebob() })
console.log(messages[0] === chat[0], messages.at(-1) === chat.at(-1), receipt.tokens <= 200)
// prints: true true true
