/** A policy of one's own: what was said in a hurry goes first. `npm run example 03-own-policy` */
import { fit, type Policy, spongebob } from 'throughline'
import { pipe } from 'throughline/policy'
import { policyCases } from 'throughline/testing'

const noSmallTalk: Policy = {
  name: 'no small talk',
  apply: draft =>
    draft.drop(
      draft.units.filter(unit => unit.kind !== 'tools' && unit.tokens < 12),
      'too short to matter',
    ),
}

// The conformance suite checks the policy on many conversations.
for (const { name, run } of policyCases) {
  run(noSmallTalk)
  console.log(`ok: ${name}`)
}

const chat = [
  { role: 'user', content: 'Plan the regatta for the second of May, with three classes.' },
  {
    role: 'assistant',
    content: 'Three classes on the second of May. I would start the smallest boats first, at ten.',
  },
  { role: 'user', content: 'ok' },
  { role: 'assistant', content: 'Good.' },
  { role: 'user', content: 'Who starts last?' },
]
const { messages, receipt } = fit(chat, { window: 2048, policy: pipe(noSmallTalk, spongebob()) })
console.log(messages.map(message => message.content))
console.log(receipt.entries.map(({ fate, why }) => `${fate}: ${why}`))
