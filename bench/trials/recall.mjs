// Memory against cost of one policy with other constants: what `quality` and `prefix` measure at 4096 tokens, for each
// conversation by itself, so that constants can be chosen on some conversations and reported on others.
//
//   node bench/trials/recall.mjs --data DIR [--dist DIST] [--policy balanced] [--sets locomo,realmem,beam100K] [--no-times]
//     [--set recall/judge:plain=10 …] [--json]
//
// `--set FILE:NAME=VALUE` gives `const NAME = …` (or `NAME: …`) in a copy of context/FILE.js another value.
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { loadSets } from '../lib/conversations.mjs'
import { copyWith } from '../lib/copy-with.mjs'
import { measureQuality } from '../lib/measure-quality.mjs'
import { measureReads } from '../lib/measure-reads.mjs'
import { fitted } from '../lib/policies.mjs'

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    dist: { type: 'string', default: fileURLToPath(new URL('../.build', import.meta.url)) },
    policy: { type: 'string', default: 'balanced' },
    sets: { type: 'string', default: 'locomo,realmem,beam100K' },
    set: { type: 'string', multiple: true, default: [] },
    window: { type: 'string', default: '4096' },
    'no-times': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
})
const window = Number(values.window)
const dist = copyWith(values.dist, values.set)
const { fit, choosePolicy, recall } = {
  ...(await import(join(dist, 'index.js'))),
  ...(await import(join(dist, 'context/policies/choose-policy.js'))),
}
const effort = Number(values.policy)
const policy = Number.isNaN(effort) ? choosePolicy(values.policy) : recall({ effort })
const build = fitted(policy, fit)

const wanted = values.sets.split(',')
const result = {}
for (const [set, conversations] of Object.entries(loadSets(values.data)))
  if (wanted.includes(set))
    result[set] = conversations.map(one => measure(values['no-times'] ? untimed(one) : one))
console.log(values.json ? JSON.stringify(result) : report())

function untimed({ turns, questions, ...rest }) {
  const without = list => list.map(({ time: _, ...one }) => one)
  return { ...rest, turns: without(turns), questions: without(questions) }
}

function measure(conversation) {
  const { all, questions, categories } = measureQuality([conversation], build, window)
  const sum = { tail: 0, blocks: 0 }
  const watched = (messages, size) => {
    const context = build(messages, size)
    if (context.isCut) {
      sum.tail += context.receipt.parts.history
      sum.blocks += context.receipt.parts.recall > 0 ? 1 : 0
    }
    return context
  }
  const { turns: calls, read } = measureReads([conversation], watched, window)
  return { all: Math.round(all * questions), questions, categories, calls, read, ...sum }
}

function report() {
  const total = (list, key) => list.reduce((sum, one) => sum + one[key], 0)
  const rows = Object.entries(result).map(([set, list]) => ({
    set,
    all: (100 * total(list, 'all')) / total(list, 'questions'),
    read: total(list, 'read') / total(list, 'calls'),
    tail: total(list, 'tail') / total(list, 'calls'),
    blocks: (100 * total(list, 'blocks')) / total(list, 'calls'),
  }))
  const mean = key => rows.reduce((sum, row) => sum + row[key], 0) / rows.length
  rows.push({
    set: 'mean',
    ...Object.fromEntries(['all', 'read', 'tail', 'blocks'].map(key => [key, mean(key)])),
  })
  return rows
    .map(
      ({ set, all, read, tail, blocks }) =>
        `${set.padEnd(10)} all ${all.toFixed(1)}  read ${read.toFixed(0)}  tail ${tail.toFixed(0)}  with a block ${blocks.toFixed(0)} %`,
    )
    .join('\n')
}
