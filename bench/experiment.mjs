// 100 experiments of 3 roles and 20 steps, all at once in one process on the reader: time and memory.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { readArgs } from './lib/args.mjs'
import { round } from './lib/stats.mjs'
import { formatTable } from './lib/table.mjs'

const { json } = readArgs()
const stores = ['memory', 'sqlite']
const results = {}

for (const store of stores) {
  const result = await measure(store)
  results[store] = Object.fromEntries(
    Object.entries(result).map(([name, value]) => [
      name,
      Number.isInteger(value) ? value : round(value),
    ]),
  )
  console.error(`${store}: ${result.seconds.toFixed(1)} s`)
}

console.log(json ? JSON.stringify(results, null, 2) : report())

/** Each store in a process of its own: memory that one has used would count for the next. */
async function measure(store) {
  const program = fileURLToPath(new URL('experiment/measure.mjs', import.meta.url))
  const child = spawn(process.execPath, [program, store], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  if (code !== 0) throw new Error(`The experiments on ${store} failed, exit ${code}`)
  return JSON.parse(output)
}

function report() {
  const head = ['store', 'experiments', 'steps', 'time', 'turns/s', 'peak RSS', 'peak heap']
  const lines = stores.map(store => {
    const { experiments, steps, seconds, turnsPerSecond, rssMB, heapMB } = results[store]
    const rate = Math.round(turnsPerSecond).toLocaleString('en')
    const sizes = [rssMB, heapMB].map(size => `${Math.round(size)} MB`)
    return [store, String(experiments), String(steps), `${seconds} s`, rate, ...sizes]
  })
  return `${formatTable([head, ...lines])}\n\nA turn: one role in one step, with a tool that it calls. All ended as they must, every thread whole.`
}
