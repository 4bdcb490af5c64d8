/** A project chat of 168 turns: what does the model see when it is asked about turn 9? `npm run example 02-memory` */
import { readFileSync } from 'node:fs'
import { fit, type MessageLike, spongebob, thorough, thrifty } from 'throughline'

const chat = JSON.parse(
  readFileSync(new URL('project-chat.json', import.meta.url), 'utf8'),
) as MessageLike[]
const question = {
  role: 'user',
  content: 'Which grid reference does Priya want for the fence?',
  time: '2026-03-13T17:00:00Z',
}
const asked = [...chat.slice(0, -1), question]

for (const policy of [spongebob(), thrifty(), undefined, thorough()]) {
  const { receipt } = fit(asked, { window: 4096, reserve: 512, ...(policy ? { policy } : {}) })
  const { fate, why } = receipt.entries[20]!
  console.log(
    `${receipt.policy.padEnd(10)} ${String(receipt.tokens).padStart(5)} tokens  the answer is ${fate} (${why})`,
  )
}
