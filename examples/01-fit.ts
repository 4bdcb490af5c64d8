/** The one line: a long chat into a small window. `npm run example 01-fit` */
import { fit } from 'throughline'

const chat = [
  { role: 'system', content: 'You are a friendly harbour master.' },
  { role: 'user', content: 'Good morning!' },
  { role: 'assistant', content: 'Good morning. What can I do for you?' },
  { role: 'user', content: 'My boat is called Heron. Please keep berth 12 for her.' },
  { role: 'assistant', content: 'Berth 12 is yours.' },
  ...Array.from({ length: 300 }, (_, n) => ({
    role: n % 2 ? 'assistant' : 'user',
    content:
      n % 2
        ? `Message ${n} is noted, nothing else changes today.`
        : `This is message ${n}, about the weather and the tides.`,
  })),
  { role: 'user', content: 'Which berth did I ask for, for the Heron?' },
]

const { messages, tokens, receipt } = fit(chat, { window: 2048, reserve: 256 })

console.log(`${chat.length} messages became ${messages.length}, ${tokens} tokens.`)
console.log(receipt.counts)
console.log(receipt.entries.find(entry => entry.fate === 'recalled')?.why ?? 'nothing was recalled')
