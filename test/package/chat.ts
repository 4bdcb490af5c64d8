import { createChat } from 'throughline/chat'
import { createHistory } from 'throughline/history'
import { reader } from 'throughline/models'
import { memoryStore } from 'throughline/stores'

const chat = createChat({ history: createHistory({ store: memoryStore() }), model: reader() })
await chat.send('My locker code is 4471.', { conversation: 'gym' }).result()
const { text } = await chat.send('What is my locker code?', { conversation: 'gym' }).result()
console.log(text.includes('4471'))
// prints: true
