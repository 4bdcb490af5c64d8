import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ThroughlineError } from '@throughline/core/errors'
import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import { memoryStore } from '../memory/memory-store.ts'
import type { Lease, NewEntry, RestoreEntries, Store, ThreadKey } from '../store.ts'
import { entry, findAll, read } from '../testing/store-cases-help.ts'
import { part, stretchOf } from '../testing/store-cases-restore.ts'
import { sqliteStore } from './sqlite-store.ts'

const folder = mkdtempSync(join(tmpdir(), 'throughline-model-'))
afterAll(() => rmSync(folder, { recursive: true }))
const numRuns = process.env.THROUGHLINE_LONG ? 2_000 : 30
let files = 0

it('does what the memory store does, whatever it is asked', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(operation, { maxLength: 60, size: 'max' }),
      fc.boolean(),
      async (operations, search) => {
        const path = join(folder, `${++files}.db`)
        let now = 1_000
        const clock = { now: () => now }
        const model = memoryStore(clock)
        let real = sqliteStore({ path, search, ...clock })
        const leases = new Map<string, Lease>()
        try {
          for (const operation of operations) {
            now += operation.wait
            if (operation.reopen) {
              // The next writer of a file knows that the former one is gone; the memory store has to wait for its lease.
              now += 1_000
              await real.close()
              real = sqliteStore({ path, search, ...clock })
            }
            const head = (await model.head(operation.thread))?.head ?? 0
            const lease = leases.get(JSON.stringify(operation.thread)) ?? {
              owner: 'nobody',
              epoch: 1,
            }
            const stretch = await stretchFor(model, operation)
            const step = { ...operation, head: head + operation.off, lease, stretch, now }
            const expected = await answer(model, step)
            expect({ step, answer: await answer(real, step) }).toEqual({ step, answer: expected })
            const begun = (expected as { value?: { lease?: Lease } }).value?.lease
            // Now and then a writer does not notice that it has lost its lease.
            if (begun && !operation.forgets) leases.set(JSON.stringify(operation.thread), begun)
          }
          expect(await everything(real)).toEqual(await everything(model))
          expect(await real.check()).toEqual([])
        } finally {
          await real.close()
        }
      },
    ),
    { numRuns },
  )
})

const tenants = ['ada', 'bob']
const conversations = ['c', 'Dr. Smith']
const branches = ['main', 'x', '__proto__']
const words = ['lemon', 'Pelican', 'zebra', 'café']

const thread: fc.Arbitrary<ThreadKey> = fc.record({
  tenant: fc.constantFrom('ada', 'ada', 'ada', 'bob'),
  conversation: fc.constantFrom('c', 'c', 'c', 'Dr. Smith'),
  actor: fc.constant('assistant'),
  branch: fc.constantFrom('main', 'main', 'main', 'x', '__proto__'),
})

const newEntry: fc.Arbitrary<NewEntry> = fc
  .record({
    id: fc.integer({ min: 0, max: 40 }),
    text: fc.constantFrom(...words),
    role: fc.constantFrom('user', 'assistant', 'tool'),
    time: fc.integer({ min: 0, max: 5 }),
  })
  .map(({ id, text, role, time }) => ({
    ...entry(`${text} ${id}`, { role, id: `id ${id}` }),
    time,
  }))

const operation = fc.record({
  kind: fc.constantFrom(
    ...[
      'begin',
      'begin',
      'begin',
      'append',
      'append',
      'append',
      'end',
      'end',
      'renew',
      'resume',
      'seed',
      'seed',
      'fork',
      'fork',
      'restore',
      'restore',
      'restore',
    ],
    ...[
      'entries',
      'entries',
      'turns',
      'saveCall',
      'saveCache',
      'conversations',
      'search',
      'delete',
    ],
    ...['deleteCalls', 'deleteUnused'],
  ),
  thread,
  entries: fc.array(newEntry, { maxLength: 3 }),
  closing: fc.array(newEntry, { maxLength: 1 }),
  off: fc.constantFrom(0, 0, 0, 0, 0, -1, 1),
  wait: fc.constantFrom(0, 1, 1, 5, 60),
  status: fc.constantFrom('completed' as const, 'failed' as const, 'interrupted' as const),
  key: fc.constantFrom(undefined, undefined, 'k1', 'k2'),
  body: fc.constantFrom('1', '1', '1', '2'),
  branch: fc.constantFrom(...branches),
  number: fc.integer({ min: 0, max: 12 }),
  reverse: fc.boolean(),
  word: fc.constantFrom(...words, 'CAFE', 'lemon 3'),
  forgets: fc.constantFrom(false, false, false, true),
  reopen: fc.constantFrom(...Array.from({ length: 19 }, () => false), true),
})

type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never

type Step = Operation & { head: number; lease: Lease; stretch: RestoreEntries; now: number }

/** A branch, or a part of it, to be restored into another conversation; it may fit there or not. */
async function stretchFor(store: Store, operation: Operation): Promise<RestoreEntries> {
  const { thread, branch, number, off, reverse } = operation
  const whole = await stretchOf(store, { ...thread, branch: reverse ? thread.branch : branch })
  const { forkOf, ...rest } = whole
  if (number < 6) return off === 0 ? whole : rest
  return { ...(forkOf && off === 0 && { forkOf }), ...part(whole, number % 3, number) }
}

const otherOf = (thread: ThreadKey): ThreadKey => ({
  ...thread,
  conversation: conversations.find(name => name !== thread.conversation)!,
})

/** The store's answer: a value, or an error's code and message. */
async function answer(store: Store, step: Step): Promise<unknown> {
  try {
    return { value: await perform(store, step) }
  } catch (error) {
    if (error instanceof ThroughlineError) return { code: error.code, message: error.message }
    throw error
  }
}

function perform(store: Store, step: Step): Promise<unknown> {
  const {
    kind,
    thread,
    entries,
    closing,
    head,
    lease,
    status,
    key,
    body,
    branch,
    number,
    reverse,
    word,
  } = step
  switch (kind) {
    case 'begin':
      return store.begin(thread, {
        ...{ owner: `owner ${number % 3}`, leaseMs: 50, entries },
        closing: {
          entries: closing,
          ...(number % 4 > 0 && { status }),
          ...(number % 4 > 1 && { error: 'e' }),
        },
        ...(number % 2 && { expectedHead: head }),
        ...(key && { key, body }),
      })
    case 'append':
      return store.append(thread, { lease, expectedHead: head, entries })
    case 'end':
      return store.end(thread, {
        lease,
        expectedHead: head,
        entries,
        status,
        ...(number % 2 && { error: 'e' }),
      })
    case 'renew':
      return store.renew(thread, lease, 70)
    case 'resume':
      return store.resume(thread, { owner: `owner ${number}`, leaseMs: 50 })
    case 'seed':
      return store.seed(thread, { expectedHead: head, entries })
    case 'fork':
      return store.fork(thread, { at: number % 3 ? number : head, branch })
    case 'entries':
      return read(store, thread, { from: number, reverse, limit: 4 })
    case 'turns':
      return store.turns(thread)
    case 'saveCall':
      return store.saveCall(thread, {
        id: `${number}`,
        turn: 1,
        time: number,
        model: body,
        plan: '{}',
        predicted: head,
        status: 'sent',
      })
    case 'restore':
      return store.restore(otherOf(thread), step.stretch)
    case 'deleteCalls':
      return store.deleteCalls(thread.tenant, number)
    case 'deleteUnused':
      return store.deleteConversation(thread.tenant, thread.conversation, {
        unusedSince: step.now - 40 * number,
      })
    case 'saveCache':
      return store.saveCache(thread, body, head, new Uint8Array([number]))
    case 'conversations':
      return store.conversations(thread.tenant, { limit: number })
    case 'search':
      // Which are the newest is told by the clock or by the order of writing.
      return findAll(store, thread.tenant, word, { limit: 1_000 }).then(({ length }) => length)
    default:
      // Rare, as the operations after it find little left.
      return number === 0
        ? store.deleteConversation(thread.tenant, thread.conversation)
        : store.head(thread)
  }
}

async function everything(store: Store): Promise<unknown> {
  const all: unknown[] = []
  for (const tenant of tenants) {
    all.push(
      await store.conversations(tenant),
      (await findAll(store, tenant, 'lemon', { limit: 1_000 }))
        .map(place => JSON.stringify(place))
        .sort(),
    )
    for (const conversation of conversations)
      for (const branch of branches) {
        const thread = { tenant, conversation, actor: 'assistant', branch }
        all.push(await store.head(thread), await read(store, thread), await store.turns(thread))
        all.push(await store.calls(thread), await store.loadCache(thread, '1'))
      }
  }
  return all
}
