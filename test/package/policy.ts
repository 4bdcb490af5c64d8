import { fit, type Policy, spongebob } from 'throughline'
import { pipe } from 'throughline/policy'

const leaveOld: Policy = { name: 'leave-old', apply: draft => draft.dropRange(0, 10, 'old') }
const chat = Array.from({ length: 20 }, (_, n) => ({
  role: n % 2 ? 'assistant' : 'user',
  content: `message ${n}`,
}))
const { messages, receipt } = fit(chat, { window: 4096, policy: pipe(leaveOld, spongebob()) })
console.log(messages.length < 20, receipt.policy)
// prints: true leave-old + spongebob
