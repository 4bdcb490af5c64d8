// Two builds compare a message with all vectors of a thread by turns, in one process: CPU time per message, and whether both give
// the same scores.
//
//   node bench/trials/vectors.mjs --old BUILD --new BUILD [--length 384]
//
// BUILD: a copy of bench/.build, as `npm run modules` makes it.
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { packChunk, toChunk } from '../.build/history/log/vectors/vector-chunk.js'
import { round } from '../lib/stats.mjs'

const text = given => ({ type: 'string', default: given })
const options = { old: text('bench/.build'), new: text('bench/.build'), length: text('384') }
const { values } = parseArgs({ options })
const [chunkSize, repetitions, length] = [128, 15, Number(values.length)]
const module = 'history/log/vectors/thread-vectors.js'
const builds = await Promise.all(['old', 'new'].map(name => import(resolve(values[name], module))))

let state = 1
const random = () => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0
  return state / 2 ** 32
}
const number = () => Math.round(((random() + random() + random()) / 1.5 - 1) * 127)

for (const size of [1000, 10_000, 100_000]) {
  const units = Array.from({ length: size + 1 }, (_, from) => ({
    kind: 'user',
    from,
    to: from + 1,
    tokens: 20 + Math.floor(60 * random()),
  }))
  const transcript = { units, costBefore: units.map((_, at) => 50 * at) }
  const pieces = Array.from({ length: Math.ceil(units.length / chunkSize) }, () => {
    const vectors = Array.from({ length: chunkSize }, () => Int8Array.from({ length }, number))
    return packChunk(toChunk(new Uint32Array(chunkSize).fill(1), vectors))
  })
  const versions = new TextEncoder().encode(JSON.stringify(pieces.map(() => 1)))
  const loadCache = async (_, name) => ({ at: 1, bytes: pieces[name.split(' ')[2]] ?? versions })
  const words = { scores: { units: [5, 3], values: Float64Array.of(9, 900) }, whole: 1000 }
  const runs = []
  for (const { createThreadVectors } of builds) {
    const vectors = createThreadVectors(
      { store: { loadCache }, key: {} },
      { model: 'm', weight: 0.5 },
    )
    await vectors.refresh({ head: units.length })
    runs.push({ meaning: vectors.meaningOf(transcript, 0), best: Number.POSITIVE_INFINITY })
  }
  let same = 0
  for (let turn = 0; turn < repetitions; turn++) {
    const found = runs.map(run => {
      const began = process.cpuUsage()
      const scores = run.meaning.add(size, words)
      const { user, system } = process.cpuUsage(began)
      run.best = Math.min(run.best, (user + system) / 1000)
      return JSON.stringify([scores.units, [...scores.values]])
    })
    if (found[0] === found[1]) same += 1
  }
  const [old, now] = runs.map(({ best }) => best)
  console.log(
    `${size} vectors of ${length}: old ${round(old)} ms, new ${round(now)} ms, ${(old / now).toFixed(1)} times; ${same} of ${repetitions} the same`,
  )
}
