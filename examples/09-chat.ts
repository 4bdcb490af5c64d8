/** A whole chat: remembered, fitted into a small window, with a tool, a note and a stream. `npm run example 09-chat` */

import { createChat, defineTool } from 'throughline/chat'
import { createHistory } from 'throughline/history'
import { reader } from 'throughline/models'
import { memoryStore } from 'throughline/stores'
import { z } from 'zod'

const berths = new Map([['Heron', 12]])
const findBerth = defineTool({
  name: 'find_berth',
  description: 'Where a boat lies.',
  input: z.object({ boat: z.string() }),
  run: ({ boat }) => berths.get(boat) ?? `No boat is called ${boat}.`,
})

// The reader answers without a server. Take ollama({ model: 'llama3.2' }) or openaiCompatible({ … }) instead.
const chat = createChat({
  history: createHistory({ store: memoryStore() }),
  model: reader({ window: 1024 }),
  system: 'You are a harbour master.',
  tools: [findBerth],
  notes: true,
})

async function say(text: string): Promise<void> {
  let answer = ''
  let tokens = 0
  for await (const part of chat.send(text, { conversation: 'harbour' })) {
    if (part.type === 'text-delta') answer += part.text
    if (part.type === 'tool-result') console.log(`  ${part.name} gave ${part.text}`)
    if (part.type === 'context') tokens = part.receipt.tokens
  }
  console.log(`${text} → ${answer} (${tokens} tokens)`)
}

await say('Good morning!')
await say('The harbour code is 4471.')
await say('call find_berth with {"boat": "Heron"}')
for (let day = 1; day <= 40; day++)
  await chat.send(`Day ${day}: ${day + 3} boats came in.`, { conversation: 'harbour' }).result()
await say('What is the harbour code?')
