// `node measure.mjs memory|sqlite`: runs the experiments and prints the figures as JSON.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getHeapStatistics } from 'node:v8'
import { createExperiments } from '../../dist/experiment/index.js'
import { createHistory } from '../../dist/history/index.js'
import { memoryStore } from '../../dist/stores/index.js'
import { sqliteStore } from '../../dist/stores/sqlite/sqlite-store.js'
import { countingPlan, roles, steps } from './plan.mjs'

const experiments = 100
const [store] = process.argv.slice(2)
const folder = mkdtempSync(join(tmpdir(), 'throughline-bench-experiment-'))
const history = createHistory({
  store: store === 'sqlite' ? sqliteStore({ path: join(folder, 'bench.db') }) : memoryStore(),
})

try {
  console.log(JSON.stringify(await measure(createExperiments({ history }))))
} finally {
  await history.close()
  rmSync(folder, { recursive: true, force: true })
}

async function measure(all) {
  const plan = countingPlan()
  const ids = Array.from({ length: experiments }, (_, number) => `experiment-${number}`)
  let heap = 0
  const began = performance.now()
  const results = await Promise.all(
    ids.map(async id => {
      const run = all.run(plan, { id })
      // Sampled here, because no timer fires while everything answers at once.
      for await (const { type } of run)
        if (type === 'step-ended') heap = Math.max(heap, getHeapStatistics().used_heap_size)
      return run.result()
    }),
  )
  const seconds = (performance.now() - began) / 1000
  const { maxRSS } = process.resourceUsage()
  for (const result of results) await check(all, result)
  return {
    experiments,
    steps,
    seconds,
    turnsPerSecond: (experiments * roles.length * steps) / seconds,
    rssMB: maxRSS / 1024,
    heapMB: heap / 1024 ** 2,
  }
}

/** Checks that all steps were taken: an experiment that left some out would be fast for the wrong reason. */
async function check(all, { id, status, steps: ended, environment }) {
  const count = roles.length * steps
  if (status !== 'COMPLETED' || ended !== steps || environment.count !== count)
    throw new Error(`${id}: ${status} after ${ended} steps, counted to ${environment.count}`)
  for (const [place, role] of roles.entries()) {
    const messages = await all.history(id, role)
    const results = messages
      .filter(message => message.role === 'tool')
      .map(({ content }) => Number(content))
    const expected = Array.from({ length: steps }, (_, step) => step * roles.length + place + 1)
    if (messages.length !== 3 * steps || String(results) !== String(expected))
      throw new Error(
        `${id}: the thread of ${role} has ${messages.length} messages, results ${results}`,
      )
  }
}
