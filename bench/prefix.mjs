// How much of a prompt must the model server read again, and how full is the window?
// Every user message is a call; calls after the first cut count.
//   npm run bench -- prefix --data DIR [--sets locomo,realmem,beam100K] [--policies default] [--json]
import { readArgs } from './lib/args.mjs'
import { loadSets } from './lib/conversations.mjs'
import { measureReads } from './lib/measure-reads.mjs'
import { policies } from './lib/policies.mjs'
import { formatTable } from './lib/table.mjs'

const window = 4096
const { json, data, ...wanted } = readArgs({
  sets: { type: 'string', default: 'locomo,realmem,beam100K' },
  policies: { type: 'string', default: Object.keys(policies).join() },
})
const all = loadSets(data)
const result = {}
for (const set of wanted.sets.split(',')) {
  result[set] = {}
  for (const name of wanted.policies.split(',')) {
    console.error(`prefix: ${set}, ${name}`)
    result[set][name] = measureReads(all[set], policies[name], window)
  }
}
console.log(json ? JSON.stringify(result, null, 2) : toTable(result))

function toTable(result) {
  const head = ['set', 'policy', 'reuse %', 'read per turn', 'full %', 'turns']
  const rows = Object.entries(result).flatMap(([set, byPolicy]) =>
    Object.entries(byPolicy).map(([name, { reuse, readPerTurn, full, turns }]) => [
      set,
      name,
      (reuse * 100).toFixed(1),
      String(readPerTurn),
      (full * 100).toFixed(1),
      String(turns),
    ]),
  )
  return formatTable([head, ...rows])
}
