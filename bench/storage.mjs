// What it costs to keep a conversation: time a turn from the first to the last, bytes on disk, appends a second.

import { round } from './lib/stats.mjs'
import { formatMs } from './lib/table.mjs'
import { measure } from './storage/measure.mjs'
import { readOptions } from './storage/options.mjs'
import { startPostgres } from './storage/postgres-server.mjs'
import { rawPostgres, rawSqlite } from './storage/raw.mjs'
import { nameOf, report } from './storage/report.mjs'
import { throughlinePostgres, throughlineSqlite } from './storage/throughline.mjs'

const { json, only, sizes } = readOptions()
const lines = []
process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143))

const server = {}
try {
  // All subjects at one size, then the next size, so that a busy machine slows all subjects alike.
  for (const [at, size] of sizes.entries()) {
    const subjects = [
      rawSqlite(size),
      ...throughlineSqlite(size),
      rawPostgres(server, size),
      ...throughlinePostgres(size, server),
      ...(at === 0 ? await peers(size) : []),
    ]
    for (const subject of subjects.filter(one => nameOf(one).includes(only))) await run(subject)
  }
} finally {
  await server.stop?.()
}
console.log(json ? JSON.stringify(toJson(), null, 2) : report(lines))

/** The most turns of subjects that slow down as the conversation grows: 10,000 would take hours. */
async function peers(size) {
  const { langgraph } = await import('./storage/langgraph.mjs')
  const { mastra } = await import('./storage/mastra.mjs')
  return [...langgraph(size), mastra(size)].map(subject => ({ ...subject, isPeer: true }))
}

async function run(subject) {
  const began = performance.now()
  const result = await attempt(subject)
  lines.push({ subject, result })
  console.error(`${nameOf(subject)}: ${result.skipped ?? formatMs(performance.now() - began)}`)
}

/** Runs a subject. Throughline must work; a peer or a server that cannot run on this machine is named with its reason. */
async function attempt(subject) {
  try {
    if (subject.needsServer && !server.url) Object.assign(server, await startPostgres())
  } catch (error) {
    return { skipped: error.message }
  }
  return measure(subject).catch(error => {
    if (!subject.isPeer) throw error
    return { skipped: error.message }
  })
}

function toJson() {
  const rounded = ([key, value]) => [
    key,
    Number.isInteger(value) || typeof value === 'string' ? value : round(value),
  ]
  return Object.fromEntries(
    lines.map(({ subject, result }) => [
      nameOf(subject),
      Object.fromEntries(Object.entries(result).map(rounded)),
    ]),
  )
}
