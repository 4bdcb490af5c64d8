/**
 * A process for the tests: a reader, or a writer to be killed. Arguments: what it does, and the file. It prints the id
 * of every entry that it was told is stored; `broken` prints it before, as a store must never do.
 */
import { writeSync } from 'node:fs'
import { sqliteStore } from '../../../../dist/stores/sqlite/sqlite-store.js'

const [how, path] = process.argv.slice(2)
const thread = { tenant: 'acme', conversation: 'killed', actor: 'assistant', branch: 'main' }
const acknowledge = entries => writeSync(1, entries.map(({ id }) => `${id}\n`).join(''))

try {
  const store = sqliteStore({ path, readOnly: how === 'read' })
  if (how === 'read') await printEntries(store)
  const begun = await store.begin(thread, { owner: `${process.pid}`, leaseMs: 30_000, entries: [] })
  if (how === 'hold') {
    acknowledge([{ id: 'holding' }])
    setInterval(() => {}, 1_000)
  } else {
    await append(store, begun)
  }
} catch (error) {
  writeSync(1, `${JSON.stringify({ code: error.code, message: error.message })}\n`)
}

/** Then ends here. */
async function printEntries(store) {
  for await (const entry of store.entries(thread)) acknowledge([entry])
  process.exit()
}

async function append(store, { lease, head: begun }) {
  let head = begun
  let late = []
  for (let seq = begun + 1; ; seq++) {
    const entries = [toEntry(seq)]
    if (how === 'broken') acknowledge(entries)
    // Always one behind: whenever it is killed, something that it acknowledged is not there.
    const batch = how === 'broken' ? late : entries
    ;({ head } = await store.append(thread, { lease, expectedHead: head, entries: batch }))
    if (how !== 'broken') acknowledge(entries)
    late = entries
  }
}

function toEntry(seq) {
  const payload = JSON.stringify({ content: `entry ${seq} ${'word '.repeat(40)}` })
  return { id: `${process.pid}/${seq}`, role: 'user', time: seq, payload, tokens: {} }
}
