/**
 * An orchestrator of your own: you decide who acts and when, each actor of the conversation remembers what it was told itself.
 *
 * `npm run example 10-own-orchestrator`
 */
import { createChat } from 'throughline/chat'
import { createHistory } from 'throughline/history'
import { reader } from 'throughline/models'
import { memoryStore } from 'throughline/stores'

const history = createHistory({ store: memoryStore() })
// The reader answers without a server. Take ollama({ model: 'llama3.2' }) or openaiCompatible({ … }) instead.
const chat = createChat({ history, model: reader({ window: 1024 }) })
const conversation = 'harbour'

async function tell(actor: string, text: string): Promise<string> {
  const { messages } = await chat.send(text, { conversation, actor }).result()
  return String(messages.at(-1)?.content)
}

// Each actor is told its own things, in whatever order your program likes.
await tell('buyer', 'The most that you pay for rope is 40 coins.')
await tell('seller', 'Your rope costs you 25 coins.')
for (let day = 1; day <= 30; day++) {
  await tell('buyer', `Day ${day}: ${day + 3} boats came in.`)
  if (day % 2 === 0) await tell('seller', `Day ${day}: the market was open.`)
}
for (const actor of ['buyer', 'seller']) {
  console.log(
    `${actor}, what do you know of the rope? → ${await tell(actor, 'What do you know of the rope?')}`,
  )
  const thread = history.thread(conversation, { actor })
  console.log(`  ${(await thread.messages()).length} messages in its own thread`)
}
