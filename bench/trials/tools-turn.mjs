// What a turn with tools costs beside one without: CPU time of a thread on SQLite, from `begin` to `complete`. A turn without
// tools asks the model once, so it makes one context; one with a round of tools makes two. Three equal threads, one for each
// kind of turn, take their turns by turns in one process.
//
//   node bench/trials/tools-turn.mjs [--json]
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createHistory } from '../../dist/history/index.js'
import { sqliteStore } from '../../dist/stores/sqlite/sqlite-store.js'
import { median, round } from '../lib/stats.mjs'
import { formatTable } from '../lib/table.mjs'
import { textAt } from '../lib/texts.mjs'

const sizes = [1000, 10_000]
const turns = 80
const warmUp = 20
/** How many texts of 80 tokens the tool gives: with the last kind the context must be cut again and again. */
const kinds = { 'without tools': 0, 'a result like a message': 1, 'a result of 12 messages': 12 }

const { json } = parseArgs({ options: { json: { type: 'boolean', default: false } } }).values
const folder = mkdtempSync(join(tmpdir(), 'throughline-tools-'))
try {
  const results = {}
  for (const size of sizes) results[size] = await measure(size)
  console.log(json ? JSON.stringify(results, null, 2) : report(results))
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** The medians of each kind, in milliseconds, and how many times a turn without tools they are. */
async function measure(size) {
  const history = createHistory({
    store: sqliteStore({ path: join(folder, `${size}.db`) }),
    window: 4096,
    reserve: 512,
  })
  const runs = []
  for (const [kind, texts] of Object.entries(kinds))
    runs.push({ kind, take: await startThread(history.thread(kind), size, texts), taken: [] })
  for (let turn = 0; turn < turns; turn++) {
    for (const { take, taken } of turn % 2 ? runs : runs.toReversed()) {
      const parts = await take()
      if (turn >= warmUp) taken.push(parts)
    }
  }
  await history.close()
  const all = runs.map(({ kind, taken }) => {
    const parts = Object.keys(taken[0]).map(part => [
      part,
      round(median(taken.map(one => one[part]))),
    ])
    return [kind, Object.fromEntries(parts)]
  })
  const [, without] = all[0]
  return Object.fromEntries(
    all.map(([kind, parts]) => [kind, { ...parts, ratio: parts.all / without.all }]),
  )
}

async function startThread(thread, size, texts) {
  for (let at = 0; at < size; at += 500) {
    const stretch = Array.from({ length: Math.min(500, size - at) }, (_, n) => at + n)
    await thread.seed(
      ...stretch.map(at => ({ role: at % 2 ? 'assistant' : 'user', content: textAt(at) })),
    )
  }
  let next = size
  const text = () => textAt(next++)
  return async () => {
    const parts = {}
    const time = async (name, work) => {
      const began = process.cpuUsage()
      const result = await work()
      const { user, system } = process.cpuUsage(began)
      parts[name] = (parts[name] ?? 0) + (user + system) / 1000
      return result
    }
    const context = () => thread.context({ system: 'Answer briefly.' })
    const { turn } = await time('log', () => thread.begin({ role: 'user', content: text() }))
    await time('context', context)
    if (texts > 0) {
      const id = `call-${next}`
      const call = {
        id,
        type: 'function',
        function: { name: 'look_up', arguments: `{"ticket":${next}}` },
      }
      const result = Array.from({ length: texts }, text).join('\n')
      await time('log', () => turn.append({ role: 'assistant', content: '', tool_calls: [call] }))
      await time('log', () => turn.append({ role: 'tool', content: result, tool_call_id: id }))
      await time('second context', context)
    }
    await time('log', () => turn.complete({ role: 'assistant', content: text() }))
    return { ...parts, all: Object.values(parts).reduce((sum, ms) => sum + ms, 0) }
  }
}

function report(results) {
  const head = ['messages', 'a turn', 'log', 'context', 'second context', 'all, CPU ms', '×']
  const rows = Object.entries(results).flatMap(([size, figures]) =>
    Object.entries(figures).map(([kind, { ratio, ...parts }]) => {
      const cells = ['log', 'context', 'second context', 'all'].map(part =>
        String(parts[part] ?? '–'),
      )
      return [Number(size).toLocaleString('en'), kind, ...cells, ratio.toFixed(2)]
    }),
  )
  return formatTable([head, ...rows])
}
