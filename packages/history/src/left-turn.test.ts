import { words } from '@throughline/core/counters'
import { memoryStore } from '@throughline/stores/memory'
import type { Store } from '@throughline/stores/store'
import { expect, it } from 'vitest'
import { createHistory } from './create-history.ts'

const key = { tenant: 'default', conversation: 'x', actor: 'assistant', branch: 'main' }
const writes = ['begin', 'resume', 'append', 'end', 'renew'] as const

async function begin(store: Store, content: string) {
  const begun = await createHistory({ store, count: words() })
    .thread('x')
    .begin({ role: 'user', content })
  if (begun.kind !== 'begun') throw new Error('expected a new turn')
  return begun.turn
}

/** A store that notes which methods wrote to turns. */
function notedStore(store: Store, noted: string[]): Store {
  const methods = writes.map(name => {
    const method = store[name] as (...input: unknown[]) => unknown
    return [name, (...input: unknown[]) => noted.push(name) && method(...input)]
  })
  return { ...store, ...Object.fromEntries(methods) }
}

it('closes a turn that failed and was left in the write that begins the next one', async () => {
  const store = memoryStore()
  const left = await begin(store, 'question')
  const call = { id: 'c', turn: 1, time: 1, model: 'm', plan: '{}', predicted: 1 }
  await store.saveCall(key, { ...call, status: 'failed', error: 'overloaded' })
  await left.leave()
  const noted: string[] = []
  const next = await begin(notedStore(store, noted), 'another')
  expect(noted).toEqual(['begin'])
  expect(await store.turns(key)).toMatchObject([
    { status: 'failed', error: 'overloaded', first: 1, last: 2 },
    { status: 'open', first: 3, last: 3 },
  ])
  await next.cancel()
})
