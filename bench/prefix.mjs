// How much of a prompt must the model server read again, and how full is the window? Every user message is a call; calls after the first cut count.
import { readArgs } from './lib/args.mjs'
import { loadSets } from './lib/conversations.mjs'
import { measureReads } from './lib/measure-reads.mjs'
import { policies } from './lib/policies.mjs'
import { formatTable } from './lib/table.mjs'

const window = 4096
const { json, data } = readArgs()
const result = {}
for (const [set, conversations] of Object.entries(loadSets(data))) {
  result[set] = {}
  for (const [name, build] of Object.entries(policies)) {
    console.error(`prefix: ${set}, ${name}`)
    result[set][name] = measureReads(conversations, build, window)
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
