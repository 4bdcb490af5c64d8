// The time of one turn: append two messages of about 80 tokens and fit the conversation into 4096 tokens.
import { langchain } from './fit/langchain.mjs'
import { mastra } from './fit/mastra.mjs'
import { limitMs, measure } from './fit/measure.mjs'
import { throughline } from './fit/throughline.mjs'
import { readArgs } from './lib/args.mjs'
import { round } from './lib/stats.mjs'
import { formatMs, formatTable } from './lib/table.mjs'

const { json } = readArgs()
const sizes = [100, 1000, 10_000, 100_000]
const subjects = [...throughline, ...langchain, ...mastra]
const results = Object.fromEntries(subjects.map(({ name }) => [name, {}]))
/** The CPU of a turn, where that is what counts: of subjects that begin anew each time. */
const cpu = Object.fromEntries(
  subjects.filter(subject => subject.cpu).map(({ name }) => [name, {}]),
)
const ended = new Map()

// All subjects at one size, then the next size, so that a busy machine slows all subjects alike.
for (const size of sizes) {
  for (const subject of subjects) {
    const { name } = subject
    if (ended.has(name)) continue
    const { ms, cpuMs, turns, spent } = await measure(subject, size)
    if (ms !== undefined) results[name][size] = round(ms)
    if (ms !== undefined && subject.cpu) cpu[name][size] = round(cpuMs)
    if (spent > limitMs) ended.set(name, { size, finished: ms !== undefined })
    const outcome =
      ms === undefined ? `given up after ${formatMs(spent)}` : `${formatMs(ms)}, ${turns} turns`
    console.error(`${String(size).padStart(6)} messages  ${name}: ${outcome}`)
  }
}

console.log(json ? JSON.stringify({ ...results, cpu }, null, 2) : report())

function report() {
  const head = ['median turn (× the turn at 100)', ...sizes.map(size => size.toLocaleString('en'))]
  const lines = subjects.map(({ name }) => [name, ...sizes.map(size => cell(name, size))])
  const limit = `${limitMs / 1000} s`
  const costs = Object.entries(cpu).map(
    ([name, ofSize]) => `${name}: CPU of a turn ${Object.values(ofSize).map(formatMs).join(', ')}`,
  )
  const notes = [...ended].flatMap(([name, { size, finished }]) => {
    if (!finished)
      return [`${name}: given up at ${size} messages, where one turn takes more than ${limit}`]
    if (size === sizes.at(-1)) return []
    return [`${name}: not run beyond ${size} messages, which took more than ${limit} in all`]
  })
  return [formatTable([head, ...lines]), '', ...costs, ...notes].join('\n')
}

function cell(name, size) {
  const ms = results[name][size]
  if (ms === undefined) return ended.get(name)?.size === size ? `> ${limitMs / 1000} s` : '–'
  const first = results[name][sizes[0]]
  return `${formatMs(ms)} (×${ms / first < 10 ? (ms / first).toFixed(1) : Math.round(ms / first)})`
}
