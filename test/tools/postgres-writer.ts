import { postgresStore } from '@throughline/stores/postgres'
import type { NewEntry, ThreadKey } from '@throughline/stores/store'

/**
 * One of several processes that want the same turns: for each, whoever begins on the head that all of them know has
 * won it. Prints the numbers of the turns that it won.
 */
const [url = '', tenant = '', owner = '', turns = '0'] = process.argv.slice(-4)
const thread: ThreadKey = { tenant, conversation: 'race', actor: 'assistant', branch: 'main' }
const store = postgresStore({ url })
const won: number[] = []

for (let turn = 1; turn <= Number(turns); turn++) {
  const expectedHead = 2 * (turn - 1)
  if (await take(turn, expectedHead)) won.push(turn)
  while (((await store.head(thread))?.head ?? 0) < expectedHead + 2)
    await new Promise(done => setTimeout(done, 2))
}
await store.close()
console.log(JSON.stringify(won))

async function take(turn: number, expectedHead: number): Promise<boolean> {
  try {
    const begun = await store.begin(thread, {
      owner,
      leaseMs: 600_000,
      expectedHead,
      entries: [entry(turn, 'user')],
    })
    if (begun.kind !== 'begun') return false
    const end = {
      lease: begun.lease,
      expectedHead: begun.head,
      entries: [entry(turn, 'assistant')],
    }
    await store.end(thread, { ...end, status: 'completed' })
    return true
  } catch (error) {
    if (['conflict', 'turn_open'].includes((error as { code?: string }).code ?? '')) return false
    throw error
  }
}

function entry(turn: number, role: 'user' | 'assistant'): NewEntry {
  const payload = JSON.stringify({ role, content: `${turn} ${owner}` })
  return { id: `${turn} ${owner} ${role}`, role, time: 0, payload, tokens: {} }
}
