import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import type { StoredCall } from '../store.ts'
import { openConnection } from './connection.ts'
import { sqliteStore } from './sqlite-store.ts'

const folder = mkdtempSync(join(tmpdir(), 'throughline-calls-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let files = 0
const newPath = () => join(folder, `${++files}.db`)

const thread = { tenant: 't', conversation: 'c', actor: 'assistant', branch: 'main' }
const other = { ...thread, conversation: 'other' }

async function openStore(path = newPath()) {
  const store = sqliteStore({ path })
  await store.migrate()
  for (const key of [thread, other]) {
    if (await store.head(key)) continue
    const entry = { id: '1', role: 'user' as const, time: 1, tokens: {}, payload: '{"message":{}}' }
    await store.begin(key, { owner: 'o', leaseMs: 1000, entries: [entry] })
  }
  return { store, path }
}

const call = (id: number, plan: string, time = id): StoredCall => ({
  ...{ id: String(id), turn: 1, time, model: 'm', plan, predicted: 1, status: 'sent' },
})

/** Plans of calls that follow each other: long, and nearly the same. */
const planAt = (n: number) =>
  JSON.stringify({
    version: 1,
    text: 'Several turns. '.repeat(40),
    messages: [[1, n]],
    tokens: 7 * n,
  })

it('are as they were saved, whatever is saved again, deleted or read anew', {
  timeout: 1_800_000,
}, async () => {
  const id = fc.nat(80)
  const save = fc.record({
    kind: fc.constant('save' as const),
    id,
    more: fc.string({ unit: 'binary' }),
  })
  const step = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('add' as const),
        amount: fc.integer({ min: 1, max: 40 }),
      }),
    },
    { weight: 6, arbitrary: save },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), before: id }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('reopen' as const) }) },
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), fc.nat(50), async (steps, limit) => {
      const opened = await openStore()
      let { store } = opened
      const saved = new Map<string, StoredCall>()
      let next = 0
      const keep = async (one: StoredCall) => {
        await store.saveCall(thread, one)
        saved.set(one.id, one)
      }
      for (const one of steps) {
        if (one.kind === 'add')
          for (let n = 0; n < one.amount; n++, next++) await keep(call(next, planAt(next)))
        else if (one.kind === 'save' && saved.has(String(one.id)))
          await keep({
            ...saved.get(String(one.id))!,
            plan: planAt(one.id) + one.more.replaceAll('\0', ''),
          })
        else if (one.kind === 'delete') {
          await store.deleteCalls('t', one.before)
          for (const [id, { time }] of saved) if (time < one.before) saved.delete(id)
        } else if (one.kind === 'reopen') {
          await store.close()
          ;({ store } = await openStore(opened.path))
        }
      }
      const expected = [...saved.values()].reverse()
      expect(await store.calls(thread)).toEqual(expected)
      expect(await store.calls(thread, { limit })).toEqual(expected.slice(0, limit))
      expect(await store.check()).toEqual([])
      await store.close()
    }),
    { numRuns: process.env.THROUGHLINE_LONG ? 1000 : 10, seed: 16 },
  )
})

it('take little room where they are alike, and each is read in few steps', async () => {
  const { store, path } = await openStore()
  for (let n = 0; n < 100; n++) {
    await store.saveCall(thread, call(n, planAt(n)))
    // Calls of another conversation come between.
    await store.saveCall(other, call(n, `${n}`))
  }
  await store.close()
  const connection = openConnection({ path, readOnly: true })
  const rows = connection.all<{ depth: number; bytes: number }>(
    'SELECT depth, length(plan) AS bytes FROM calls WHERE branch_id = 1 ORDER BY number',
  )
  connection.close()
  expect(rows.map(({ depth }) => depth)).toEqual(Array.from({ length: 100 }, (_, n) => n % 32))
  const packed = rows.filter(({ depth }) => depth > 0).map(({ bytes }) => bytes)
  expect(Math.max(...packed)).toBeLessThan(planAt(50).length / 10)
})

it('that are damaged are told, and so are those that need them', async () => {
  const { store, path } = await openStore()
  for (let n = 0; n < 40; n++) await store.saveCall(thread, call(n, planAt(n)))
  await store.close()
  const connection = openConnection({ path })
  connection.run("UPDATE calls SET plan = x'AB' WHERE id = '34'")
  connection.close()
  const { store: again } = await openStore(path)
  await expect(again.calls(thread, { limit: 1 })).rejects.toMatchObject({ code: 'store_corrupt' })
  expect(await again.check()).toEqual([
    expect.stringContaining('of calls has changed since it was written'),
  ])
  await again.close()
})
