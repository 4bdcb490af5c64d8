import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { defineState } from '@throughline/core/state'
import { createHistory } from '@throughline/history'
import { currentState } from '@throughline/history/request'
import { rules } from '@throughline/models'
import { memoryStore, type Store } from '@throughline/stores'
import { inChat } from '@throughline/test-tools/chat-help'
import { isLong } from '@throughline/test-tools/is-long'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { createChat, defineTool } from '../src/index.ts'

/** A store that counts the entries which are read from it. */
function countingStore() {
  const store = memoryStore()
  const counted = { entries: 0 }
  const counting: Store = {
    ...store,
    async *entries(...range) {
      for await (const entry of store.entries(...range)) {
        counted.entries += 1
        yield entry
      }
    },
  }
  return { store: counting, counted }
}

const added = z.object({ by: z.number() })
const sum = defineState({
  name: 'sum',
  tool: 'add',
  schema: added,
  initial: { by: 0 },
  fold: (before, { by }) => ({ by: before.by + by }),
})

/** Entries that are read in each of some turns with a tool call, after so many messages. */
async function readsPerTurn(messages: number) {
  const { store, counted } = countingStore()
  const sums: number[] = []
  const add = defineTool({
    name: 'add',
    description: 'Adds one.',
    input: z.object({}),
    run: () => {
      sums.push(currentState(sum).by)
      return { by: 1 }
    },
  })
  const model = rules(given =>
    given.messages.at(-1)?.role === 'user' ? { calls: [{ name: 'add' }] } : 'Added.',
  )
  const history = createHistory({ store })
  const chat = createChat({ history, model, tools: [add], state: [sum], window: 4096 })
  await chat.send('Add one, first.', inChat).result()
  const said = (_: unknown, n: number) => ({
    role: n % 2 ? 'assistant' : 'user',
    content: `said ${n}`,
  })
  await history.thread('chat').seed(...Array.from({ length: messages }, said))
  // The first turn after it reads what is new.
  await chat.send('Add one.', inChat).result()
  counted.entries = 0
  const turns = 20
  for (let n = 0; n < turns; n++) await chat.send(`Add one, again ${n}.`, inChat).result()
  return { reads: counted.entries / turns, sums }
}

it('reads no more of the log in a turn with tools when the conversation is long', async () => {
  const short = await readsPerTurn(1_000)
  const long = await readsPerTurn(6_000)
  expect(short.reads).toBeLessThan(10)
  expect(long.reads / short.reads).toBeLessThan(1.2)
  expect(long.sums).toEqual(short.sums)
  expect(long.sums.at(-1)).toBe(21)
})

if (!isLong) console.info('Skipped: the memory of 2,500 turns, only in the long run')
it.runIf(isLong)(
  'keeps only sizes and words of what is old: five times the turns are not twice the memory',
  () => {
    const script = join(import.meta.dirname, 'heap-of-turns.mjs')
    const output = execFileSync(process.execPath, ['--expose-gc', script, '500', '2500'], {
      encoding: 'utf8',
    })
    const [early, late] = JSON.parse(output) as [number, number]
    console.info(`heap: ${early} MB after 500 turns, ${late} MB after 2,500`)
    expect(late / early).toBeLessThan(1.6)
  },
  1_200_000,
)
