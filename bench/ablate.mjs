// What is each number of recall worth? Takes one away at a time, and measures the default beside the one with all of them.
//
//   npm run bench -- ablate --data DIR [--only recall/judge:plain,…] [--sets locomo,realmem,beam100K] [--json]
//
// A number that moves neither evidence, nor follow-up (`next`), nor noise by half a point should go.
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readArgs } from './lib/args.mjs'
import { loadSets, loadUntimed } from './lib/conversations.mjs'
import { copyWith } from './lib/copy-with.mjs'
import { followUps } from './lib/follow-ups.mjs'
import { measureFollow, measureNoise } from './lib/measure-follow.mjs'
import { measureQuality } from './lib/measure-quality.mjs'
import { measureReads } from './lib/measure-reads.mjs'
import { fitted } from './lib/policies.mjs'
import { formatTable } from './lib/table.mjs'

const never = 'Number.POSITIVE_INFINITY'

/** The value with which a number has no part in what is recalled. */
const without = {
  'recall/ranking:lengthShare': 0,
  'recall/ranking:beside': 0,
  'recall/ranking:beyond': 0,
  'recall/ranking:session': 0,
  'recall/ranking:opener': 0,
  'recall/ranking:openerSize': never,
  'recall/ranking:feedback': 0,
  'recall/ranking:feedbackRarity': 1,
  'recall/ranking:feedbackSize': never,
  'recall/ranking:recency': 0,
  'recall/ranking:firstMention': 0,
  'recall/ranking:instruction': 1,
  'recall/ranking:talk': 1,
  'recall/ranking:length': 0,
  'recall/judge:longMessage': never,
  'recall/judge:partWeight': 0,
  'recall/judge:partMost': never,
  'recall/judge:passing': 1,
  'recall/judge:plain': 'passing',
  'recall/judge:ours': 'plain',
  'recall/judge:going': 1,
  'recall/judge:opening': 1,
  'recall/judge:more': 0,
  'recall/judge:cover': 0,
  'recall/judge:viewTokens': never,
  'recall/judge:slope': never,
  'recall/blocks:needy': never,
  'stable/divide-room:shortBlock': 0,
}

const { json, data, only, sets } = readArgs({
  only: { type: 'string', default: Object.keys(without).join() },
  sets: { type: 'string', default: 'locomo,realmem,beam100K' },
})
const window = 4096
const dist = fileURLToPath(new URL('./.build', import.meta.url))
const wanted = sets.split(',')
const timed = Object.entries(loadSets(data)).filter(([set]) => wanted.includes(set))
const untimed = wanted.map(set => loadUntimed(data, set))
const samples = Object.values(followUps).flatMap(list => list.filter((_, at) => at % 5 === 0))

const rows = [['all of them', await measure([])]]
for (const name of only.split(',')) {
  rows.push([name, await measure([`${name}=${without[name]}`])])
  console.error(toCells(rows.at(-1)).join('  '))
}
console.log(
  json
    ? JSON.stringify(Object.fromEntries(rows), null, 2)
    : formatTable([heads(), ...rows.map(toCells)]),
)

/** The means over the sets. */
async function measure(changes) {
  const {
    createFitter,
    defaultPolicy: policy,
    fit,
  } = await import(join(copyWith(dist, changes), 'index.js'))
  const build = fitted(policy, fit)
  const evidence = timed.map(([, list]) => 100 * measureQuality(list, build, window).all)
  const reads = timed.map(([, list]) => {
    const { read, turns } = measureReads(list, build, window)
    return read / turns
  })
  const options = { window, reserve: window / 8, policy }
  const next = untimed.map(list => 100 * measureFollow(list, createFitter, options).next)
  const noise = untimed.map(list => 100 * measureNoise(list, fit, options, samples).share)
  return { evidence: mean(evidence), next: mean(next), noise: mean(noise), reads: mean(reads) }
}

function mean(list) {
  return list.reduce((sum, value) => sum + value, 0) / list.length
}

function heads() {
  return ['without', 'evidence', 'next', 'noise', 'reads', 'moves']
}

function toCells([name, figures]) {
  const [, whole] = rows[0]
  const moved = ['evidence', 'next', 'noise'].map(key => Math.abs(figures[key] - whole[key]))
  const { evidence, next, noise, reads } = figures
  return [
    name,
    ...[evidence, next, noise].map(value => value.toFixed(1)),
    reads.toFixed(0),
    Math.max(...moved).toFixed(1),
  ]
}
