import { createHistory } from '@throughline/history'
import { rules } from '@throughline/models'
import { reader } from '@throughline/models/reader'
import { postgresStore } from '@throughline/stores/postgres'
import type { Store } from '@throughline/stores/store'
import { describePostgres } from '@throughline/test-tools/postgres'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { createExperiments, defineExperiment, type Experiments } from '../src/index.ts'
import { runFiveSteps } from './five-steps.ts'
import { call, textsOf } from './fixture.ts'

describePostgres('experiments in PostgreSQL', server => {
  const stores: Store[] = []
  beforeAll(async () => {
    await open().store.migrate()
  })
  afterAll(async () => {
    for (const store of stores) await store.close()
  })

  /** Each has a store of its own, as another process would. */
  function open(leaseMs = 30_000): { store: Store; experiments: Experiments } {
    const store = postgresStore({ url: server.url })
    stores.push(store)
    return { store, experiments: createExperiments({ history: createHistory({ store, leaseMs }) }) }
  }

  const counting = (meanwhile: (step: number) => unknown = () => undefined) => {
    let asked = 0
    const model = rules(async () => {
      await meanwhile(++asked)
      return call('add')
    })
    return defineExperiment({
      name: 'counting',
      environment: { count: { type: 'int', value: 0 } },
      tools: ({ tool }) => [
        tool({ name: 'add', input: z.object({}), run: (_, run) => ++run.environment.count }),
      ],
      roles: [
        { name: 'Dr. Smith', model },
        { name: '$x', model: reader(), variables: ['count'], tools: [] },
      ],
      goals: [{ description: 'three', holds: ({ count }) => count === 3 }],
    })
  }

  it('run, keep every role apart, and are found by another process', async () => {
    const result = await open().experiments.run(counting(), { id: 'run' }).result()
    expect(result).toMatchObject({
      status: 'COMPLETED',
      result: 'three',
      steps: 3,
      environment: { count: 3 },
    })
    const { experiments } = open()
    const messages = await experiments.history('run', 'Dr. Smith')
    expect(messages.map(({ role }) => role)).toEqual(
      Array(3).fill(['user', 'assistant', 'tool']).flat(),
    )
    expect(textsOf(await experiments.history('run', '$x'))[2]).toBe(
      'Step 2. Current Environment: {"count":2}',
    )
    expect(
      (await experiments.show('run')).snapshots.map(({ environment }) => environment.count),
    ).toEqual([0, 1, 2, 3])
  })

  it('come to the same end as in SQLite', async () => {
    const { outcome } = { outcome: await runFiveSteps({ store: open().store }, false) }
    expect(outcome.result).toMatchObject({
      status: 'COMPLETED',
      environment: { lemons: 5, cash: 25 },
    })
  })

  it('are paused, resumed and stopped by another process', async () => {
    const [one, other] = [open().experiments, open().experiments]
    const paused = one.run(
      counting(step => step === 2 && other.pause('p')),
      { id: 'p' },
    )
    expect(await paused.result()).toMatchObject({ status: 'PAUSED', environment: { count: 2 } })
    const stopped = other.resume(
      counting(step => step === 1 && one.stop('p')),
      'p',
    )
    expect(await stopped.result()).toMatchObject({ status: 'STOPPED', result: 'Stopped by User' })
    expect(await one.show('p')).toMatchObject({ status: 'STOPPED', environment: { count: 3 } })
  })

  it('are run by one process at a time', async () => {
    const [one, other] = [open().experiments, open().experiments]
    const refused: string[] = []
    const plan = counting(async step => {
      if (step === 1)
        await other
          .resume(counting(), 'l')
          .result()
          .catch(error => refused.push(error.code))
    })
    expect(await one.run(plan, { id: 'l' }).result()).toMatchObject({ status: 'COMPLETED' })
    expect(refused).toEqual(['turn_open'])
  })

  it('are taken over when their runner is gone, where it stopped', async () => {
    const { store, experiments } = open(1_000)
    const dying = counting(step => (step === 2 ? store.close() : undefined))
    await expect(experiments.run(dying, { id: 'd' }).result()).rejects.toBeInstanceOf(Error)
    const later = open(1_000).experiments
    await expect.poll(async () => (await later.show('d')).status).toBe('INTERRUPTED')
    expect(await later.resume(counting(), 'd').result()).toMatchObject({
      status: 'COMPLETED',
      steps: 3,
    })
    expect(await later.history('d', 'Dr. Smith')).toHaveLength(9)
  })
})
