// How many parts of a reply pass through a chat in a second, beside the model's own stream read directly.

import { createChat } from '../dist/chat/index.js'
import { createHistory } from '../dist/history/index.js'
import { memoryStore } from '../dist/stores/index.js'
import { readArgs } from './lib/args.mjs'
import { round } from './lib/stats.mjs'
import { formatTable } from './lib/table.mjs'

const { json } = readArgs()
const parts = 200_000
const rounds = 5

const model = {
  name: 'many parts',
  window: async () => 4096,
  async *stream() {
    for (let n = 0; n < parts; n += 1)
      yield { type: 'text-delta', text: n % 8 === 7 ? 'word. ' : 'word ' }
    yield { type: 'end', reason: 'stop', usage: {} }
  },
}

const subjects = {
  'the model alone': () => model.stream(),
  chat: () => chatWith({}),
  'chat with notes': () => chatWith({ notes: true }),
}

/** The best of several rounds that alternate, so that a busy machine hurts all alike. */
const rates = Object.fromEntries(Object.keys(subjects).map(name => [name, 0]))
for (let n = 0; n < rounds; n += 1) {
  for (const [name, start] of Object.entries(subjects)) {
    const began = performance.now()
    let seen = 0
    for await (const part of start()) if (part.type === 'text-delta') seen += 1
    if (seen === 0) throw new Error(`${name} gave no text`)
    rates[name] = Math.max(rates[name], (parts / (performance.now() - began)) * 1000)
  }
}

const alone = rates['the model alone']
const results = Object.fromEntries(
  Object.entries(rates).map(([name, rate]) => [
    name,
    { partsPerSecond: Math.round(rate), shareOfModel: round(rate / alone) },
  ]),
)
console.log(json ? JSON.stringify(results, null, 2) : report())

function chatWith(options) {
  const history = createHistory({ store: memoryStore({ maxEntryBytes: 2 ** 26 }) })
  return createChat({ history, model, ...options }).send('Go on.', { conversation: 'stream' })
}

function report() {
  const lines = Object.entries(results).map(([name, { partsPerSecond, shareOfModel }]) => [
    name,
    partsPerSecond.toLocaleString('en'),
    `${Math.round(shareOfModel * 100)} %`,
  ])
  return formatTable([['subject', 'parts/s', 'of the model'], ...lines])
}
