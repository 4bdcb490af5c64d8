import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postgresStore } from '../../src/stores/postgres/postgres-store.ts'
import type { Store } from '../../src/stores/store.ts'
import { startPostgres, type TestPostgres, whyNoPostgres } from '../postgres.ts'
import { findFaults } from './find-faults.ts'
import { readMarked } from './find-torn.ts'
import { createWriterProgram, type WriterProgram } from './start-writer.ts'
import { type Fault, isAcknowledged, isRefused } from './writer-line.ts'

const reason = whyNoPostgres()
if (reason) console.log(`Not tested: several processes on one thread, because ${reason}`)

describe.skipIf(reason)('several processes on one thread', () => {
  let program: WriterProgram
  let server: TestPostgres
  let store: Store
  beforeAll(async () => {
    program = await createWriterProgram()
    server = await startPostgres()
    store = postgresStore({ url: server.url })
    await store.migrate()
  })
  afterAll(async () => {
    await program?.stop()
    await store?.close()
    await server?.stop()
  })

  const keyOf = (conversation: string) =>
    ({ tenant: 'default', conversation, actor: 'assistant', branch: 'main' }) as const

  function start(name: string, conversation: string, options: object) {
    const place = { kind: 'postgres', url: server.url } as const
    return program.start({ place, conversation, name, turns: 1, isStepped: true, ...options })
  }

  /** Four writers that all want every next turn. What is wrong afterwards, and how often they were refused. */
  async function race(conversation: string, fault?: Fault) {
    const options = { turns: 6, thinkMs: 5, ...(fault && { fault }) }
    const writers = ['ada', 'bob', 'cleo', 'dan'].map(name => start(name, conversation, options))
    await Promise.all(writers.map(writer => writer.waitFor('ready', 1)))
    for (const writer of writers) writer.step(20_000)
    const exits = await Promise.all(writers.map(writer => writer.ended()))
    const lines = writers.flatMap(writer => writer.lines)
    const acknowledged = lines.filter(isAcknowledged)
    const refused = lines.filter(isRefused)
    const faults = [
      ...exits.flatMap((exit, n) => (exit === 0 ? [] : [`writer ${n} ended with ${exit}`])),
      ...(await store.turns(keyOf(conversation)))
        .filter(({ status }) => status !== 'completed')
        .map(({ turn, status }) => `turn ${turn} is ${status}`),
      ...(await findFaults({ store, conversation, acknowledged })),
    ]
    return { acknowledged, refused, faults }
  }

  it('lets four processes take turns on one head, and tells who must wait', async () => {
    const { acknowledged, refused, faults } = await race('race')
    expect(faults).toEqual([])
    expect(acknowledged.filter(({ step }) => step === 'complete').length).toBe(24)
    expect((await store.turns(keyOf('race'))).length).toBe(24 + 1)
    expect(refused.length).toBeGreaterThan(0)
    const clear = { kind: 'refused', step: 'begin', error: 'LeaseError', code: 'turn_open' }
    for (const line of refused) expect(line).toMatchObject(clear)
    expect(refused[0]?.message).toMatch(/turn \d+ .*(wait|retry|again|until)/i)
    console.log(`24 turns of four processes, ${refused.length} times refused`)
  })

  it('would notice a store that lets two turns be open', async () => {
    const { acknowledged, faults } = await race('no lease', 'unleased')
    expect(acknowledged.length).toBeGreaterThan(0)
    expect(faults.length).toBeGreaterThan(0)
  })

  /** One is stopped after so many steps, until its lease has run out; another takes over; then the first goes on. */
  async function stall(conversation: string, steps: number, fault?: Fault) {
    const slow = start('slow', conversation, { leaseMs: 700, ...(fault && { fault }) })
    slow.step(steps)
    await slow.waitFor('acknowledged', steps)
    slow.signal('SIGSTOP')
    await expect
      .poll(async () => (await store.head(keyOf(conversation)))?.open?.isExpired, { timeout: 30_000 })
      .toBe(true)
    const next = start('next', conversation, {})
    next.step()
    await next.waitFor('acknowledged', 1)
    slow.step()
    slow.signal('SIGCONT')
    await slow.waitFor(fault ? 'acknowledged' : 'refused', fault ? steps + 1 : 1)
    if (!fault) await slow.waitFor('aborted', 1)
    next.step(4)
    await Promise.all([next.ended(), slow.kill()])
    const acknowledged = [...slow.lines, ...next.lines].filter(isAcknowledged)
    const marks = (await readMarked(store, keyOf(conversation))).map(({ mark }) => mark)
    const faults = await findFaults({ store, conversation, acknowledged })
    return { slow, acknowledged, marks, faults }
  }

  it.each([
    ['append', 1],
    ['complete', 2],
  ] as const)('fences a process that slept past its lease before its %s', async (step, steps) => {
    const { slow, acknowledged, marks, faults } = await stall(`asleep before ${step}`, steps)
    expect(faults).toEqual([])
    expect(acknowledged.length).toBe(steps + 3)
    expect(slow.lines.filter(isRefused)[0]).toMatchObject({ step, error: 'LeaseError', code: 'lease_lost' })
    expect(slow.lines).toContainEqual({ kind: 'aborted', turn: 1, code: 'lease_lost' })
    const mine = ['[slow 1 question]', '[slow 1 call]', '[slow 1 result]'].slice(0, steps * 2 - 1)
    const theirs = ['question', 'call', 'result', 'reply', 'note'].map(part => `[next 1 ${part}]`)
    expect(marks).toEqual([...mine, undefined, ...theirs])
  })

  it('would notice a store that does not fence', async () => {
    const { acknowledged, faults } = await stall('unfenced', 1, 'unfenced')
    expect(acknowledged.length).toBeGreaterThan(0)
    expect(faults.join()).toContain('is of 2 turns')
  })
})
