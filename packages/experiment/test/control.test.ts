import { createHistory } from '@throughline/history'
import { rules } from '@throughline/models/reader'
import { sqliteStore } from '@throughline/stores/sqlite'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  createExperiments,
  defineExperiment,
  type ExperimentPlan,
  type Experiments,
  type Hook,
} from '../src/index.ts'
import {
  broken,
  call,
  eventsOf,
  newPath,
  openExperiments,
  rolesOf,
  script,
  textsOf,
} from './fixture.ts'

const environment = { count: { type: 'int', value: 0 } } as const

/** Two roles that count; the second one does what is given before it answers. */
function counting(
  meanwhile: (step: number) => unknown = () => undefined,
  maxSteps = 3,
): ExperimentPlan {
  let asked = 0
  const add = rules(() => call('add'))
  const second = rules(async () => {
    asked += 1
    await meanwhile(asked)
    return call('add')
  })
  return defineExperiment({
    name: 'counting',
    environment,
    tools: ({ tool }) => [
      tool({ name: 'add', input: z.object({}), run: (_, run) => ++run.environment.count }),
    ],
    roles: [
      { name: 'first', model: add },
      { name: 'second', model: second },
    ],
    maxSteps,
  })
}

/** A promise that the test resolves. */
function gate() {
  let open = () => {}
  const opened = new Promise<void>(resolve => {
    open = resolve
  })
  return { opened, open }
}

const whole = {
  status: 'FAILED',
  result: 'Max Steps Exceeded',
  steps: 3,
  environment: { count: 6 },
}

describe('pause', () => {
  it('takes effect before the next role acts, and resume goes on there', async () => {
    const { experiments } = openExperiments()
    const plan = counting(step => step === 2 && experiments.pause('e'))
    const paused = await experiments.run(plan, { id: 'e' }).result()
    expect(paused).toEqual({
      id: 'e',
      status: 'PAUSED',
      result: 'Paused',
      steps: 2,
      environment: { count: 4 },
    })
    expect(await experiments.show('e')).toMatchObject({
      status: 'PAUSED',
      steps: 2,
      environment: { count: 4 },
    })
    const run = experiments.resume(counting(), 'e')
    const events = await eventsOf(run)
    expect(events[0]).toEqual({
      type: 'experiment-started',
      id: 'e',
      name: 'counting',
      step: 3,
      isResumed: true,
    })
    expect(await run.result()).toMatchObject(whole)
    expect(rolesOf(await experiments.history('e', 'second'))).toHaveLength(9)
  })

  it('between two roles keeps what the first has done in this step', async () => {
    const { experiments } = openExperiments()
    const plan = defineExperiment({
      name: 'counting',
      environment,
      tools: ({ tool }) => [
        tool({
          name: 'add',
          input: z.object({}),
          async run(_, run) {
            if (run.role === 'first' && run.step === 2) await experiments.pause('e')
            return ++run.environment.count
          },
        }),
      ],
      roles: ['first', 'second'].map(name => ({ name, model: rules(() => call('add')) })),
      maxSteps: 3,
    })
    expect(await experiments.run(plan, { id: 'e' }).result()).toMatchObject({
      steps: 1,
      environment: { count: 3 },
    })
    expect((await experiments.show('e')).environment).toEqual({ count: 3 })
    expect(await experiments.resume(counting(), 'e').result()).toMatchObject(whole)
    expect(textsOf(await experiments.history('e', 'second'))[3]).toBe(
      'Step 2. Current Environment: {"count":3}',
    )
  })

  it('can be wished for from outside of the log', async () => {
    const { history } = openExperiments()
    let wish: 'pause' | undefined
    const experiments = createExperiments({ history, wishOf: () => wish })
    const plan = counting(() => {
      wish = 'pause'
    })
    expect(await experiments.run(plan, { id: 'e' }).result()).toMatchObject({
      status: 'PAUSED',
      steps: 1,
    })
    wish = undefined
    expect(await experiments.resume(counting(), 'e').result()).toMatchObject(whole)
  })

  it('is what an aborted signal does, at once: the turn is left, and goes on with resume', async () => {
    const { experiments } = openExperiments()
    const abort = new AbortController()
    const plan = counting(step => (step === 2 ? abort.abort() : undefined))
    const paused = await experiments.run(plan, { id: 'e', signal: abort.signal }).result()
    expect(paused).toMatchObject({ status: 'PAUSED', steps: 1, environment: { count: 3 } })
    expect(await experiments.resume(counting(), 'e').result()).toMatchObject(whole)
    expect(textsOf(await experiments.history('e', 'second')).slice(3, 6)).toEqual([
      'Step 2. Current Environment: {"count":3}',
      '',
      '4',
    ])
  })

  it('is what happens when nobody reads on', async () => {
    const { experiments } = openExperiments()
    const run = experiments.run(counting(), { id: 'e' })
    for await (const event of run) if (event.type === 'tool-called' && event.step === 2) break
    expect(await run.result()).toMatchObject({ status: 'PAUSED', steps: 1 })
    expect((await experiments.show('e')).status).toBe('PAUSED')
    expect(await experiments.resume(counting(), 'e').result()).toMatchObject(whole)
  })
})

describe('stop', () => {
  it('takes effect before the next role acts', async () => {
    const { experiments } = openExperiments()
    const plan = counting(step => step === 2 && experiments.stop('e'))
    const stopped = {
      status: 'STOPPED',
      result: 'Stopped by User',
      steps: 2,
      environment: { count: 4 },
    }
    expect(await experiments.run(plan, { id: 'e' }).result()).toMatchObject(stopped)
    expect(await experiments.show('e')).toMatchObject(stopped)
    await expect(experiments.stop('e')).rejects.toMatchObject({ code: 'experiment_ended' })
    expect(await experiments.resume(counting(), 'e').result()).toMatchObject(stopped)
  })

  it('ends at once what nobody runs', async () => {
    const { experiments } = openExperiments()
    await experiments
      .run(
        counting(step => step === 1 && experiments.pause('e')),
        { id: 'e' },
      )
      .result()
    expect(await experiments.stop('e')).toBe('done')
    expect(await experiments.show('e')).toMatchObject({
      status: 'STOPPED',
      steps: 1,
      environment: { count: 2 },
    })
  })

  it('is not forgotten when it comes while the experiment is being paused', async () => {
    const { experiments } = openExperiments()
    const both = async () => {
      await experiments.pause('e')
      await experiments.stop('e')
    }
    expect(await experiments.run(counting(both), { id: 'e' }).result()).toMatchObject({
      status: 'STOPPED',
    })
  })
})

describe('the lease of an experiment', () => {
  const hour = 3_600_000
  const open = (path: string, laterMs = 0): Experiments => {
    const now = () => Date.now() + laterMs
    const { history } = { history: createHistory({ store: sqliteStore({ path, now }) }) }
    return createExperiments({ history })
  }

  it('keeps a second runner out', async () => {
    const { experiments } = openExperiments()
    const refusals: unknown[] = []
    const tryTwice = async () => {
      expect((await experiments.show('e')).status).toBe('RUNNING')
      for (const run of [
        experiments.resume(counting(), 'e'),
        experiments.run(counting(), { id: 'e' }),
      ])
        await run.result().catch(error => refusals.push(error.code))
    }
    expect(await experiments.run(counting(tryTwice, 1), { id: 'e' }).result()).toMatchObject({
      steps: 1,
    })
    expect(refusals).toEqual(['turn_open', 'experiment_exists'])
  })

  it('lets only one of several go on', async () => {
    const { experiments } = openExperiments()
    await experiments
      .run(
        counting(step => step === 1 && experiments.pause('e')),
        { id: 'e' },
      )
      .result()
    const runs = [1, 2, 3].map(() => experiments.resume(counting(), 'e').result())
    const settled = await Promise.allSettled(runs)
    const won = settled.filter(({ status }) => status === 'fulfilled')
    expect(won).toHaveLength(1)
    expect(won[0]).toMatchObject({ value: whole })
    for (const one of settled)
      if (one.status === 'rejected') expect(one.reason.code).toBe('turn_open')
  })

  it('is taken over when its runner is gone, and the late one is fenced off', async () => {
    let [laterMs, path] = [0, newPath()]
    const store = sqliteStore({ path, now: () => Date.now() + laterMs })
    const [first, second] = [store, store].map(one =>
      createExperiments({ history: createHistory({ store: one }) }),
    )
    let continued: unknown
    // In the middle of a model call the first one falls asleep, and wakes up an hour later.
    const sleepy = counting(async step => {
      if (step !== 2) return
      laterMs = hour
      expect((await second!.show('e')).status).toBe('INTERRUPTED')
      continued = await second!.resume(counting(), 'e').result()
    })
    await expect(first!.run(sleepy, { id: 'e' }).result()).rejects.toMatchObject({
      code: 'lease_lost',
    })
    expect(continued).toMatchObject(whole)
    expect(await second!.show('e')).toMatchObject(whole)
    expect(rolesOf(await second!.history('e', 'second'))).toHaveLength(9)
    await store.close()
  })

  it('is taken over with what the late one has written in between', async () => {
    let laterMs = 0
    const store = sqliteStore({ path: newPath(), now: () => Date.now() + laterMs })
    const [first, second] = [store, store].map(one =>
      createExperiments({ history: createHistory({ store: one }) }),
    )
    const [awake, written] = [gate(), gate()]
    const isLate = { at: true }
    let continued: Promise<unknown> | undefined
    const plan = (hooks: readonly Hook<{ count: number }>[]) =>
      defineExperiment({
        name: 'late',
        environment,
        tools: ({ tool }) => [
          tool({
            name: 'add',
            input: z.object({}),
            endsTurn: false,
            async run(_, run) {
              run.environment.count += 1
              if (!isLate.at) return
              isLate.at = false
              laterMs = hour
              continued = second!.resume(taking, 'e').result()
              await awake.opened
            },
          }),
        ],
        roles: [
          {
            name: 'one',
            model: rules(({ messages }) => (messages.length > 2 ? 'done' : call('add'))),
          },
        ],
        hooks,
        maxSteps: 1,
      })
    // The second process has read the log, but not yet taken the turn: now the first one writes its late result.
    const taking = plan([
      {
        on: 'before-role',
        async run() {
          awake.open()
          await written.opened
        },
      },
    ])
    const late = first!
      .run(plan([{ on: 'after-tool', run: () => written.open() }]), { id: 'e' })
      .result()
    await expect(late).rejects.toMatchObject({ code: 'lease_lost' })
    expect(await continued).toMatchObject({ status: 'FAILED', steps: 1, environment: { count: 1 } })
    // The late result counts, and the turn goes on after it.
    expect(textsOf(await second!.history('e', 'one')).slice(2)).toEqual(['', 'done'])
    await store.close()
  })

  it('is shown as INTERRUPTED, and a stop then closes the turn that was left', async () => {
    const path = newPath()
    const now = () => Date.now()
    const store = sqliteStore({ path, now })
    const experiments = createExperiments({ history: createHistory({ store }) })
    const dying = counting(step => (step === 2 ? store.close() : undefined))
    await expect(experiments.run(dying, { id: 'e' }).result()).rejects.toMatchObject({
      code: 'store_closed',
    })
    const later = open(path, hour)
    expect(await later.show('e')).toMatchObject({
      status: 'INTERRUPTED',
      steps: 1,
      environment: { count: 3 },
    })
    expect((await later.list()).map(({ id, status }) => [id, status])).toEqual([
      ['e', 'INTERRUPTED'],
    ])
    expect(await later.stop('e')).toBe('done')
    expect(await later.show('e')).toMatchObject({ status: 'STOPPED', environment: { count: 3 } })
    expect(textsOf(await later.history('e', 'second')).at(-1)).toContain('cancelled')
  })
})

describe('experiments', () => {
  it('refuse an unknown id, an unknown role, and a plan of another shape', async () => {
    const { experiments } = openExperiments()
    await expect(experiments.show('nope')).rejects.toMatchObject({ code: 'no_experiment' })
    await expect(experiments.resume(counting(), 'nope').result()).rejects.toMatchObject({
      code: 'no_experiment',
    })
    await experiments
      .run(
        counting(() => experiments.pause('e')),
        { id: 'e' },
      )
      .result()
    await expect(experiments.history('e', 'third')).rejects.toMatchObject({ code: 'unknown_role' })
    const other = defineExperiment({
      name: 'counting',
      environment,
      roles: [{ name: 'x', model: script('x').model }],
    })
    await expect(experiments.resume(other, 'e').result()).rejects.toMatchObject({
      code: 'plan_changed',
    })
  })

  it('are listed apart from other conversations, with a snapshot of every step', async () => {
    const { experiments, history } = openExperiments()
    await history.thread('a chat').seed({ role: 'user', content: 'hello' })
    await experiments.run(counting(), { id: 'e' }).result()
    const times = { startedAt: expect.any(Number), updatedAt: expect.any(Number) }
    const ended = { status: 'FAILED', result: 'Max Steps Exceeded', steps: 3, maxSteps: 3 }
    expect(await experiments.list()).toEqual([
      { id: 'e', name: 'counting', ...ended, ...times, hasPlan: false },
    ])
    const { snapshots } = await experiments.show('e')
    expect(snapshots).toEqual([0, 2, 4, 6].map((count, step) => ({ step, environment: { count } })))
  })

  it('can be looked at by a process that only reads', async () => {
    const path = newPath()
    const { experiments } = openExperiments(path)
    const looking = async () => {
      const store = sqliteStore({ path, readOnly: true })
      const reading = createExperiments({ history: createHistory({ store }) })
      expect(await reading.show('e')).toMatchObject({
        status: 'RUNNING',
        steps: 0,
        environment: { count: 1 },
      })
      expect(await reading.list()).toMatchObject([{ id: 'e', status: 'RUNNING' }])
      expect(rolesOf(await reading.history('e', 'first'))).toEqual(['user', 'assistant', 'tool'])
      await store.close()
    }
    expect(await experiments.run(counting(looking, 1), { id: 'e' }).result()).toMatchObject({
      steps: 1,
    })
  })

  it('do nothing when they are aborted before they begin', async () => {
    const { experiments } = openExperiments()
    const run = experiments.run(counting(), { id: 'e', signal: AbortSignal.abort() })
    expect(await run.result()).toMatchObject({
      status: 'PAUSED',
      steps: 0,
      environment: { count: 0 },
    })
    expect(await experiments.history('e', 'first')).toEqual([])
    expect(await experiments.resume(counting(), 'e').result()).toMatchObject(whole)
  })

  it('do nothing before somebody reads them or waits for them', async () => {
    const { experiments } = openExperiments()
    const run = experiments.run(counting())
    expect(await experiments.list()).toEqual([])
    expect(await run.result()).toMatchObject(whole)
    expect((await experiments.list())[0]!.id).toBe(run.id)
  })

  it('fail with a model that has a bug, and do not ask it again', async () => {
    const failing = broken(() => {
      throw new TypeError('a bug')
    })
    const withoutWindow: typeof failing = {
      ...failing,
      window: () => Promise.reject(new TypeError('a bug')),
    }
    for (const model of [failing, withoutWindow]) {
      const { experiments } = openExperiments()
      const plan = defineExperiment({ name: 'bug', environment, roles: [{ name: 'one', model }] })
      const result = await experiments.run(plan, { id: 'e' }).result()
      expect(result).toMatchObject({ status: 'FAILED', result: 'Error: a bug' })
      expect(textsOf(await experiments.history('e', 'one')).at(-1)).toBe(
        '[This turn failed: model_refused.]',
      )
    }
    expect(failing.calls()).toBe(1)
  })

  it('tell two goals of one description apart', async () => {
    const { experiments } = openExperiments()
    const goals = [
      { description: 'over', outcome: 'failed', holds: () => false },
      { description: 'over', holds: () => true },
    ] as const
    const roles = [{ name: 'one', model: script('x').model }]
    await experiments
      .run(defineExperiment({ name: 'goals', environment, roles, goals }), { id: 'e' })
      .result()
    expect((await experiments.show('e')).goals.map(({ isMet }) => isMet)).toEqual([false, true])
  })
})
