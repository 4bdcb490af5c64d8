import { type Model, reader } from 'throughline/models'

const model: Model = reader()
let text = ''
const messages = [
  { role: 'user', content: 'My boat is called Heron.' },
  { role: 'user', content: 'What is my boat called?' },
]
for await (const part of model.stream({ messages }))
  if (part.type === 'text-delta') text += part.text
console.log(text.includes('Heron'))
// prints: true
