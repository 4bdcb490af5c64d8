import { memoryStore } from '@throughline/stores/memory'
import { expect, it } from 'vitest'
import { createHistory } from './create-history.ts'

const rounds = 2000

/** Counts how often others get a turn while work is done. */
async function turnsOfOthers(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  let isDone = false
  const wait = () => {
    turns += 1
    if (!isDone) setImmediate(wait)
  }
  setImmediate(wait)
  await work()
  isDone = true
  return turns
}

it('lets others have their turn while a turn of thousands of rounds is read and fitted', async () => {
  const store = memoryStore()
  const options = { store, window: 8192 }
  const begun = await createHistory(options)
    .thread('c')
    .begin({ role: 'user', content: 'Mend the tests.' })
  if (begun.kind !== 'begun') throw new Error('it is new')
  for (let n = 0; n < rounds; n++)
    await begun.turn.append(
      {
        role: 'assistant',
        content: `Looking at part ${n}.`,
        tool_calls: [
          { id: `c${n}`, function: { name: 'read', arguments: `{"path":"part${n}.ts"}` } },
        ],
      },
      { role: 'tool', tool_call_id: `c${n}`, content: `export const part${n} = ${n}` },
    )
  const thread = createHistory(options).thread('c')
  // 4000 entries are read, 64 in a row; 2000 rounds are indexed, 64 in a row.
  expect(await turnsOfOthers(() => thread.context())).toBeGreaterThanOrEqual(62 + 30)
  expect(await turnsOfOthers(() => thread.display())).toBeGreaterThanOrEqual(62)
})
