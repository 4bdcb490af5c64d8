import { createHistory } from '@throughline/history'
import { rules } from '@throughline/models/reader'
import { memoryStore } from '@throughline/stores'
import type { Store } from '@throughline/stores/store'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createExperiments, defineExperiment } from '../src/index.ts'

const runActor = 'throughline:run'

const counting = (maxSteps = 5) =>
  defineExperiment({
    name: 'counting',
    environment: { count: { type: 'int', value: 0 } },
    tools: ({ tool }) => [
      tool({
        name: 'add',
        input: z.object({}),
        endsTurn: false,
        run: (_, run) => ++run.environment.count,
      }),
    ],
    roles: [
      {
        name: 'a',
        model: rules(({ messages }) =>
          messages.at(-1)!.role === 'tool' ? 'done' : { calls: [{ name: 'add' }] },
        ),
      },
    ],
    maxSteps,
  })

/** A store in which something happens once, before a call of this name on the thread of an actor. */
function between(store: Store, name: keyof Store, actor: string, act: () => unknown): Store {
  let isDone = false
  const real = store[name] as (...given: unknown[]) => Promise<unknown>
  const watched = async (...given: unknown[]) => {
    if (!isDone && (given[0] as { actor?: string }).actor === actor) {
      isDone = true
      await act()
    }
    return real.apply(store, given)
  }
  return { ...store, [name]: watched }
}

const away = () => {
  throw Object.assign(new Error('the store is away'), { code: 'store_unavailable' })
}

const on = (store: Store) => createExperiments({ history: createHistory({ store }) })

/** Paused after two steps, or in the middle of the third: its turn is open then. */
async function paused({ isInTurn = false } = {}) {
  const store = memoryStore()
  const experiments = on(store)
  for await (const event of experiments.run(counting(), { id: 'e' }))
    if (
      isInTurn
        ? event.type === 'tool-result' && event.step === 3
        : event.type === 'step-ended' && event.step === 2
    )
      break
  return { store, experiments }
}

/** An experiment whose pause could not be written: its own turn is open, and nobody holds it. */
async function interrupted() {
  const { store, experiments } = await paused({ isInTurn: true })
  const dying: Store = {
    ...store,
    end: (key, end) => (key.actor === runActor ? away() : store.end(key, end)),
  }
  const run = on(dying).resume(counting(), 'e', { signal: AbortSignal.abort() })
  await expect(run.result()).rejects.toThrow('the store is away')
  expect((await experiments.show('e')).status).toBe('INTERRUPTED')
  return { store, experiments }
}

const whole = {
  status: 'FAILED',
  result: 'Max Steps Exceeded',
  steps: 5,
  environment: { count: 5 },
}

describe('a lease', () => {
  it.each([
    ['the turns of a role', 'turns', 'a', false],
    ['the open turn of a role', 'resume', 'a', true],
    ['the end of a step', 'append', runActor, false],
  ] as const)('is given back when resume fails at %s', async (_, name, actor, isInTurn) => {
    const { store, experiments } = await paused({ isInTurn })
    const failing = on(between(store, name, actor, away))
    await expect(failing.resume(counting(), 'e').result()).rejects.toThrow('the store is away')
    // At once, and not when a lease has run out.
    expect(await experiments.resume(counting(), 'e').result()).toMatchObject(whole)
  })

  it('is given back when the experiment that was left cannot be read', async () => {
    const { store, experiments } = await interrupted()
    await expect(
      on(between(store, 'append', runActor, away))
        .resume(counting(), 'e')
        .result(),
    ).rejects.toThrow('the store is away')
    expect(await experiments.resume(counting(), 'e').result()).toMatchObject(whole)
  })

  it.each(['pause', 'stop'] as const)('is given back when %s fails', async wish => {
    const { store, experiments } = await interrupted()
    await expect(on(between(store, 'turns', 'a', away))[wish]('e')).rejects.toThrow(
      'the store is away',
    )
    expect(await experiments[wish]('e')).toBe('done')
  })

  it('of a role that cannot be read again is given back', async () => {
    const { store, experiments } = await paused({ isInTurn: true })
    let reads = 0
    const third: Store = {
      ...store,
      // The third look at the turns is the one after the role's turn was taken.
      turns: (key, ...rest) =>
        key.actor === 'a' && ++reads === 3 ? away() : store.turns(key, ...rest),
    }
    await expect(on(third).resume(counting(), 'e').result()).rejects.toThrow('the store is away')
    expect(reads).toBe(3)
    expect(await experiments.resume(counting(), 'e').result()).toMatchObject(whole)
  })
})

describe('resume', () => {
  it('does not run what was stopped just before it was taken', async () => {
    const { store, experiments } = await paused()
    const other = on(between(store, 'resume', runActor, () => experiments.stop('e')))
    expect(await other.resume(counting(), 'e').result()).toMatchObject({
      status: 'STOPPED',
      steps: 2,
    })
    expect(await experiments.show('e')).toMatchObject({ status: 'STOPPED', steps: 2 })
  })

  it.each(['turns', 'resume', 'head'] as const)(
    'goes on from where another has come to meanwhile, or is refused (%s)',
    async name => {
      const { store, experiments } = await paused()
      const goOn = async () => {
        for await (const event of experiments.resume(counting(), 'e'))
          if (event.type === 'step-ended' && event.step === 4) break
      }
      const other = on(between(store, name, runActor, goOn))
      const result = await other
        .resume(counting(), 'e')
        .result()
        .catch(error => error.code)
      if (result === 'turn_open') await experiments.resume(counting(), 'e').result()
      else expect(result).toMatchObject(whole)
      const { snapshots } = await experiments.show('e')
      expect(snapshots.map(({ step, environment }) => [step, environment.count])).toEqual(
        [0, 1, 2, 3, 4, 5].map(step => [step, step]),
      )
    },
  )
})

describe('a signal that outlives many runs', () => {
  it('keeps nothing of them', async () => {
    const { signal } = new AbortController()
    const listening = new Set<unknown>()
    const { addEventListener, removeEventListener } = signal
    const watched = Object.assign(signal, {
      addEventListener(type: string, listener: EventListener) {
        listening.add(listener)
        addEventListener.call(signal, type, listener)
      },
      removeEventListener(type: string, listener: EventListener) {
        listening.delete(listener)
        removeEventListener.call(signal, type, listener)
      },
    })
    const dependants = () =>
      Object.getOwnPropertySymbols(signal).filter(symbol => /dependant/i.test(String(symbol)))
    const experiments = on(memoryStore())
    for (let run = 0; run < 3; run++) {
      await experiments.run(counting(1), { id: `e${run}`, signal: watched as AbortSignal }).result()
      expect([listening.size, dependants().length]).toEqual([0, 0])
    }
  })
})
