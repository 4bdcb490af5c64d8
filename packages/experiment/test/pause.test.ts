import { createHistory } from '@throughline/history'
import { rules } from '@throughline/models/reader'
import { memoryStore } from '@throughline/stores'
import { spread } from '@throughline/test-tools/spread'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  createExperiments,
  defineExperiment,
  type Experiment,
  type ExperimentPlan,
  type HookPoint,
} from '../src/index.ts'
import { plain, textsOf } from './fixture.ts'

const environment = { count: { type: 'int', value: 0 } } as const
const points = ['experiment', 'step', 'role', 'model', 'tool'].flatMap(what => [
  `before-${what}` as HookPoint,
  `after-${what}` as HookPoint,
])

const open = (store = memoryStore()) =>
  createExperiments({ history: createHistory({ store }), backoffMs: 1 })

/** Two roles; two rounds in each turn, the first with two calls. All that happens outside of the log is counted. */
function watched({ endsAt }: { readonly endsAt?: number } = {}) {
  const happened: string[] = []
  const model = rules(({ messages }) => {
    happened.push(`model ${messages.length}`)
    return messages.at(-1)!.role === 'tool' ? 'done' : { calls: [{ name: 'add' }, { name: 'add' }] }
  })
  const plan = defineExperiment({
    name: 'watched',
    environment,
    tools: ({ tool }) => [
      tool({
        name: 'add',
        input: z.object({}),
        endsTurn: false,
        run(_, { environment: draft, key }) {
          happened.push(key)
          return ++draft.count
        },
      }),
    ],
    roles: ['a', 'b'].map(name => ({ name, model })),
    hooks: points.map(on => ({
      on,
      run(context: object) {
        const { role, round, step, environment } = context as Record<string, unknown>
        const { count } = environment as { count: number }
        happened.push(JSON.stringify([on, step, role, round, count]))
        return on === 'after-tool' && count === endsAt ? { endStep: true } : undefined
      },
    })) as never,
    goals: [{ description: 'counted', holds: ({ count }) => count >= (endsAt ? endsAt + 3 : 8) }],
    maxSteps: 5,
  })
  return { plan, happened }
}

type Leave = (run: (signal: AbortSignal) => Experiment, at: number) => Promise<number>

const byLeaving: Leave = async (start, at) => {
  let seen = 0
  for await (const _ of start(new AbortController().signal)) if (seen++ === at) break
  return seen
}

const byAborting: Leave = async (start, at) => {
  let seen = 0
  const abort = new AbortController()
  for await (const _ of start(abort.signal)) if (seen++ === at) abort.abort()
  return seen
}

async function outcomeOf(leave: Leave, at: number, options: { readonly endsAt?: number } = {}) {
  const experiments = open()
  const { plan, happened } = watched(options)
  const events = await leave(signal => experiments.run(plan, { id: 'e', signal }), at)
  const { status } = await experiments.show('e')
  const result = await experiments.resume(plan, 'e').result()
  const histories = await Promise.all(
    ['a', 'b'].map(async role => plain(await experiments.history('e', role))),
  )
  return { events, status, outcome: { result, histories, happened } }
}

describe('a pause', () => {
  it.each([
    ['leaving the loop', byLeaving, {}],
    ['a signal', byAborting, {}],
    ['leaving the loop, where a hook ends the step', byLeaving, { endsAt: 1 }],
  ] as const)('by %s at any event loses and repeats nothing', async (_, leave, options) => {
    const whole = await outcomeOf(leave, Number.POSITIVE_INFINITY, options)
    expect(whole.outcome.result).toMatchObject({ status: 'COMPLETED', result: 'counted' })
    const places = spread([...Array(whole.events).keys()], 16)
    let paused = 0
    for (const at of places) {
      const { status, outcome } = await outcomeOf(leave, at, options)
      if (status === 'PAUSED') paused += 1
      expect(outcome, `paused at event ${at}`).toEqual(whole.outcome)
    }
    // All but those that come after the end.
    expect(paused).toBeGreaterThan(places.length - 4)
  })

  it('in the middle of a tool makes the same call again, with the same key', async () => {
    const experiments = open()
    const abort = new AbortController()
    const keys: string[] = []
    const plan = defineExperiment({
      name: 'slow',
      environment,
      tools: ({ tool }) => [
        tool({
          name: 'add',
          input: z.object({}),
          run(_, { environment: draft, key }) {
            keys.push(key)
            draft.count += 1
            if (keys.length > 1) return draft.count
            abort.abort()
            return new Promise(() => {})
          },
        }),
      ],
      roles: [{ name: 'a', model: rules(() => ({ calls: [{ name: 'add' }] })) }],
      maxSteps: 1,
    })
    const paused = await experiments.run(plan, { id: 'e', signal: abort.signal }).result()
    expect(paused).toMatchObject({ status: 'PAUSED', steps: 0, environment: { count: 0 } })
    expect(await experiments.resume(plan, 'e').result()).toMatchObject({
      environment: { count: 1 },
    })
    expect(keys).toEqual([keys[0], keys[0]])
    expect(textsOf(await experiments.history('e', 'a')).slice(1)).toEqual(['', '1'])
  })

  it('and then a stop closes the turn that was left', async () => {
    for (const isRunning of [false, true]) {
      const history = createHistory({ store: memoryStore() })
      let wish: 'stop' | undefined
      const experiments = createExperiments({ history, wishOf: () => wish })
      const { plan } = watched()
      for await (const event of experiments.run(plan, { id: 'e' }))
        if (event.type === 'tool-result') break
      wish = 'stop'
      if (isRunning) await experiments.resume(plan, 'e').result()
      else await experiments.stop('e')
      expect(await experiments.show('e')).toMatchObject({
        status: 'STOPPED',
        environment: { count: 1 },
      })
      const turns = await history.thread('e', { actor: 'a' }).turns()
      expect(turns.map(({ status }) => status)).toEqual(['cancelled'])
    }
  })
})

/** A model that counts, or waits for ever when told to. */
function counting({ waits = false } = {}): ExperimentPlan {
  return defineExperiment({
    name: 'counting',
    environment,
    tools: ({ tool }) => [
      tool({ name: 'add', input: z.object({}), run: (_, run) => ++run.environment.count }),
    ],
    roles: [
      {
        name: 'a',
        model: rules(() => (waits ? new Promise<never>(() => {}) : { calls: [{ name: 'add' }] })),
      },
    ],
    maxSteps: 5,
  })
}

describe('an experiment that is left', () => {
  it('says how far the experiment is, also when it was resumed', async () => {
    const experiments = open()
    for await (const event of experiments.run(counting(), { id: 'e' }))
      if (event.type === 'step-ended' && event.step === 3) break
    const run = experiments.resume(counting(), 'e')
    for await (const event of run) if (event.type === 'experiment-started') break
    expect(await run.result()).toEqual({
      id: 'e',
      status: 'PAUSED',
      result: 'Paused',
      steps: 3,
      environment: { count: 3 },
    })
  })

  it('before its first event has not begun, and says so', async () => {
    const experiments = open()
    const run = experiments.run(counting(), { id: 'e' })
    await run[Symbol.asyncIterator]().return!()
    await expect(run.result()).rejects.toMatchObject({ code: 'experiment_left' })
    expect(await experiments.list()).toEqual([])
  })

  it('while its next event is being waited for is paused', async () => {
    const experiments = open()
    const run = experiments.run(counting({ waits: true }), { id: 'e' })
    const iterator = run[Symbol.asyncIterator]()
    for (;;) if ((await iterator.next()).value.type === 'role-started') break
    const waiting = iterator.next()
    await iterator.return!()
    expect((await waiting).value).toMatchObject({ type: 'paused', steps: 0 })
    expect(await run.result()).toMatchObject({ status: 'PAUSED' })
    expect((await experiments.show('e')).status).toBe('PAUSED')
    expect(await experiments.resume(counting(), 'e').result()).toMatchObject({ steps: 5 })
  })

  it('with an error of the reader is paused too', async () => {
    const experiments = open()
    const run = experiments.run(counting(), { id: 'e' })
    const iterator = run[Symbol.asyncIterator]()
    await iterator.next()
    await expect(iterator.throw!(new Error('mine'))).rejects.toThrow('mine')
    expect(await run.result()).toMatchObject({ status: 'PAUSED' })
  })
})
