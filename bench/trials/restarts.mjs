// Compares the first context after a restart of several builds, in fresh processes by turns: clock and CPU time, medians.
//
//   node bench/trials/restarts.mjs --dist OLD/dist --dist NEW/dist [--messages 100000] [--runs 9] [--in-turn]
//
// A copy of a build needs a node_modules beside it. `--in-turn` compiles code in turn, not beside: on a busy machine the
// figures are the same. The same hash means the same context.
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { median, round } from '../lib/stats.mjs'
import { formatTable } from '../lib/table.mjs'
import { writeThread } from '../restart/write-thread.mjs'

const { values } = parseArgs({
  options: {
    dist: { type: 'string', multiple: true, default: ['dist'] },
    messages: { type: 'string', default: '100000' },
    runs: { type: 'string', default: '9' },
    'in-turn': { type: 'boolean', default: false },
  },
})
const open = fileURLToPath(new URL('../restart/open.mjs', import.meta.url))
const flags = values['in-turn'] ? ['--no-concurrent-recompilation'] : []
const folder = mkdtempSync(join(tmpdir(), 'throughline-restarts-'))
const builds = values.dist.map((dist, at) => ({
  dist: resolve(dist),
  path: join(folder, `${at}.db`),
  runs: [],
}))
try {
  for (const { dist, path } of builds) {
    const { createHistory } = await import(join(dist, 'history/index.js'))
    const { sqliteStore } = await import(join(dist, 'stores/sqlite/sqlite-store.js'))
    await writeThread({ createHistory, sqliteStore }, path, Number(values.messages))
  }
  for (let run = 0; run < Number(values.runs); run++) {
    for (const { dist, path, runs } of builds) {
      copyFileSync(path, `${path}.copy`)
      const told = execFileSync(process.execPath, [...flags, open, `${path}.copy`, dist], {
        encoding: 'utf8',
      })
      runs.push(JSON.parse(told))
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
const names = ['firstMs', 'cpuMs', 'nextMs', 'memoryMB', 'cacheBytes', 'payloadBytes', 'storeCalls']
const lines = builds.map(({ dist, runs }) => [
  dist,
  ...names.map(name => `${round(median(runs.map(run => run[name])))}`),
  runs[0].contextHash.slice(0, 8),
])
console.log(formatTable([['build', ...names, 'context'], ...lines]))
