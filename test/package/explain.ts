import { fit } from 'throughline'
import { dump, explain, type Why, why } from 'throughline/explain'

const chat = [{ role: 'user', content: 'Hello!' }]
const context = fit(chat, { window: 4096 })
const reason: Why = why(chat, 0, { window: 4096 })
console.log(
  explain(context.receipt).includes('kept'),
  dump(context).includes('Hello!'),
  reason.fate,
)
// prints: true true kept
