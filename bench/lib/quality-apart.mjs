// Is all the evidence in the context when every session was a conversation of its own, and the question begins another one?
import { defaultPolicy, thorough } from '../../dist/index.js'
import { measureApart } from './measure-apart.mjs'
import { measureQuality } from './measure-quality.mjs'
import { measureReads } from './measure-reads.mjs'
import { fitted } from './policies.mjs'
import { formatTable } from './table.mjs'

const window = 4096
/** For each set: what a policy has of the evidence in one conversation, and apart. */
export async function qualityApart(sets) {
  const result = {}
  for (const [set, conversations] of Object.entries(sets)) {
    result[set] = {}
    for (const [name, policy] of Object.entries({ default: defaultPolicy, thorough: thorough() })) {
      console.error(`quality, apart: ${set}, ${name}`)
      const build = fitted(policy)
      const { all } = measureQuality(conversations, build, window)
      const { readPerTurn } = measureReads(conversations, build, window)
      result[set][name] = {
        one: { all, readPerTurn },
        apart: await measureApart(conversations, policy, window),
      }
    }
  }
  return result
}

export function apartTable(result) {
  const percent = value => (value * 100).toFixed(1)
  const rows = Object.entries(result).flatMap(([set, byPolicy]) =>
    Object.entries(byPolicy).map(([policy, { one, apart }]) => [
      `${set}, ${policy}`,
      percent(one.all),
      percent(apart.all),
      String(one.readPerTurn),
      String(apart.readPerTurn),
      apart.msPerTurn.toFixed(1),
    ]),
  )
  const head = [
    `window ${window}`,
    'ALL, one conversation',
    'ALL, apart',
    'read, one',
    'read, apart',
    'begin, ms',
  ]
  return formatTable([head, ...rows])
}
