import { defineState, readState, type StandardSchema } from 'throughline/state'

const schema: StandardSchema<{ url: string }> = {
  '~standard': {
    version: 1,
    vendor: 'mine',
    validate: value => ({ value: value as { url: string } }),
  },
}
const page = defineState({ name: 'page', tool: 'open', schema })
const call = { id: 'c1', type: 'function', function: { name: 'open', arguments: '{}' } }
const chat = [
  { role: 'user', content: 'Open it.' },
  { role: 'assistant', content: '', tool_calls: [call] },
  { role: 'tool', tool_call_id: 'c1', content: '{"url":"https://shop.example"}' },
]
console.log(readState(chat, page).value?.url)
// prints: https://shop.example
