// The first context after a restart: a thread of 1,000 to 100,000 messages in a SQLite file, opened by fresh processes.
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createHistory } from '../dist/history/index.js'
import { sqliteStore } from '../dist/stores/sqlite/sqlite-store.js'
import { readArgs } from './lib/args.mjs'
import { median, round } from './lib/stats.mjs'
import { formatMs, formatTable } from './lib/table.mjs'
import { writeThread } from './restart/write-thread.mjs'

const { json } = readArgs()
const sizes = [1000, 10_000, 100_000]
const processes = 5
const folder = mkdtempSync(join(tmpdir(), 'throughline-restart-'))
const results = {}
try {
  for (const size of sizes) {
    const path = join(folder, `${size}.db`)
    const began = performance.now()
    await writeThread({ createHistory, sqliteStore }, path, size)
    console.error(`restart: ${size} messages are written, ${formatMs(performance.now() - began)}`)
    results[size] = measure(path)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
console.log(json ? JSON.stringify(results, null, 2) : report())

function measure(path) {
  const open = fileURLToPath(new URL('restart/open.mjs', import.meta.url))
  // Each process appends a message, so each gets a copy.
  const copy = `${path}.copy`
  const runs = Array.from({ length: processes }, () => {
    copyFileSync(path, copy)
    return JSON.parse(execFileSync(process.execPath, [open, copy], { encoding: 'utf8' }))
  })
  const [{ contextHash, ...counted }] = runs
  if (runs.some(run => run.contextHash !== contextHash)) throw new Error('the contexts differ')
  const middle = name => round(median(runs.map(run => run[name])))
  return {
    ...counted,
    bareMs: middle('bareMs'),
    firstMs: middle('firstMs'),
    cpuMs: middle('cpuMs'),
    nextMs: middle('nextMs'),
    memoryMB: middle('memoryMB'),
  }
}

function report() {
  const head = [
    'messages',
    'start of the process',
    'first context',
    'its CPU time',
    'the next',
    'memory',
    'cache bytes',
    'payload bytes',
    'store calls',
  ]
  const count = value => value.toLocaleString('en')
  const lines = sizes.map(size => {
    const { bareMs, firstMs, cpuMs, nextMs, memoryMB, cacheBytes, payloadBytes, storeCalls } =
      results[size]
    const times = [
      formatMs(bareMs),
      formatMs(firstMs),
      formatMs(cpuMs),
      formatMs(nextMs),
      `${memoryMB} MB`,
    ]
    return [count(size), ...times, ...[cacheBytes, payloadBytes, storeCalls].map(count)]
  })
  return formatTable([head, ...lines])
}
