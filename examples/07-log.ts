/** A conversation in one SQLite file: killed and opened again, it goes on where it was. `npm run example 07-log` */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHistory } from 'throughline/history'
import { sqliteStore } from 'throughline/stores/sqlite'

const folder = mkdtempSync(join(tmpdir(), 'throughline-example-'))
const path = join(folder, 'log.db')

async function session(text: string, reply: string): Promise<void> {
  const history = createHistory({ store: sqliteStore({ path }), window: 2048 })
  const thread = history.thread('harbour')
  const begun = await thread.begin({ role: 'user', content: text })
  if (begun.kind === 'begun') {
    const context = await thread.context({ system: 'You are a harbour master.' })
    await thread.saveCall(context, { model: 'example' })
    await begun.turn.complete({ role: 'assistant', content: reply }, { note: `answered: ${reply}` })
    console.log(`${context.messages.length} messages were sent`)
  }
  await history.close()
}

await session('Keep berth 12 for the Heron.', 'Berth 12 is yours.')
await session('Which berth was it?', 'Berth 12.')

const history = createHistory({ store: sqliteStore({ path }) })
const thread = history.thread('harbour')
console.log(await thread.dump({ system: 'You are a harbour master.' }))
console.log(`${(await thread.calls()).length} calls, notes: ${(await thread.notes()).join(' | ')}`)
console.log((await history.search('heron')).map(found => found.snippet))
await history.close()
rmSync(folder, { recursive: true })
