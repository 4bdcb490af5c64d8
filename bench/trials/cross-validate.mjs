// How much the figures of recall owe to constants that were chosen on the same conversations: for each conversation the
// setting is chosen that is best on all others, and reported is what it finds in this one.
//
//   node bench/trials/cross-validate.mjs --data DIR [--dist DIST] [--results FILE] [--reads 906]
//
// A setting is best that finds most, on average over the sets, and reads at most so many tokens per turn. The results of all
// settings take some twenty minutes; `--results` keeps them in a file, and settings that it has are not measured again.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

/** Each constant of the gate lower and higher than it is. */
const constants = {
  'recall/judge:passing': [1.9, 3.3],
  'recall/judge:plain': [3, 5.5],
  'recall/judge:ours': [8, 18],
  'recall/judge:going': [0.5, 0.95],
  'recall/judge:opening': [1.1, 2],
  'recall/judge:more': [0.15, 0.45],
  'recall/judge:cover': [0.55, 0.85],
  'recall/judge:slope': ['1 / 5.5', '1 / 3'],
  'recall/judge:gate': [
    'Math.round(2 * 16 ** (1 - 2 * effort) * 1024) / 1024',
    'Math.round(3.4 * 16 ** (1 - 2 * effort) * 1024) / 1024',
  ],
  'recall/judge:room': ['0.26 + 0.58 * above', '0.4 + 0.5 * above'],
  'recall/judge:least': ['0.14 - 0.14 * above', '0.28 - 0.28 * above'],
}

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    dist: { type: 'string' },
    results: { type: 'string' },
    reads: { type: 'string', default: '906' },
  },
})

const settings = [
  [],
  ...Object.entries(constants).flatMap(([name, list]) => list.map(value => [`${name}=${value}`])),
]
const known =
  values.results && existsSync(values.results)
    ? JSON.parse(readFileSync(values.results, 'utf8'))
    : {}
for (const setting of settings) {
  const name = setting.join(' ') || 'as it is'
  known[name] ??= run(setting)
  const { all, read } = summary(known[name])
  console.log(`${name.padEnd(60)} all ${all.toFixed(1)}  read ${read.toFixed(0)}`)
  if (values.results) writeFileSync(values.results, JSON.stringify(known))
}

const sets = Object.keys(known['as it is'])
const places = sets.flatMap(set => known['as it is'][set].map((_, at) => [set, at]))
const heldOut = Object.fromEntries(sets.map(set => [set, []]))
const chosen = {}
for (const [set, at] of places) {
  const best = bestWithout(set, at)
  chosen[best] = (chosen[best] ?? 0) + 1
  heldOut[set].push(known[best][set][at])
}
console.log('\nchosen without the conversation, times:', chosen)
for (const set of sets) {
  const { all, read } = summary({ [set]: heldOut[set] })
  console.log(`${set.padEnd(10)} all ${all.toFixed(1)}  read ${read.toFixed(0)}`)
}
const { all, read } = summary(heldOut)
console.log(`mean       all ${all.toFixed(1)}  read ${read.toFixed(0)}`)

function run(setting) {
  const recall = fileURLToPath(new URL('recall.mjs', import.meta.url))
  const dist = values.dist ? ['--dist', values.dist] : []
  const set = setting.flatMap(one => ['--set', one])
  return JSON.parse(
    execFileSync('node', [recall, '--data', values.data, ...dist, ...set, '--json'], {
      maxBuffer: 2 ** 26,
    }),
  )
}

/** The setting that finds most in all conversations but one, of those that read no more than allowed there. */
function bestWithout(set, at) {
  const rows = Object.entries(known).map(([name, result]) => {
    const rest = { ...result, [set]: result[set].filter((_, place) => place !== at) }
    return { name, ...summary(rest) }
  })
  const cheap = rows.filter(({ read }) => read <= Number(values.reads))
  return (cheap.length > 0 ? cheap : rows).reduce((a, b) => (b.all > a.all ? b : a)).name
}

/** The share found and the tokens read per turn, each the mean over the sets. */
function summary(result) {
  const rows = Object.values(result).filter(list => list.length > 0)
  const ratio = (list, part, whole) => total(list, part) / total(list, whole)
  const mean = of => rows.reduce((sum, list) => sum + of(list), 0) / rows.length
  return {
    all: mean(list => 100 * ratio(list, 'all', 'questions')),
    read: mean(list => ratio(list, 'read', 'calls')),
  }
}

function total(list, key) {
  return list.reduce((sum, one) => sum + one[key], 0)
}
