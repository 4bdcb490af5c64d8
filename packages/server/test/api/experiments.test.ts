import { defineExperimentTool } from '@throughline/experiment'
import { rules } from '@throughline/models/reader'
import type { HeardEvent } from '@throughline/test-tools/api-client'
import { someStores } from '@throughline/test-tools/every-store'
import { startWithExperiments } from '@throughline/test-tools/experiment-plug'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { readerUpstream } from '../../src/upstream/reader-upstream.ts'
import type { Upstream } from '../../src/upstream/upstream.ts'

const sell = defineExperimentTool({
  name: 'sell',
  description: 'Sells a cup.',
  input: z.object({}),
  run: (_: object, { environment }: { environment: Record<string, unknown> }) => {
    environment.cups = (environment.cups as number) - 1
    return 'Sold.'
  },
})

const plan = {
  name: 'stand',
  environment: { cups: { type: 'int', value: 3 } },
  roles: [{ name: 'seller', model: 'any', tools: ['sell'] }],
  goals: [{ description: 'Sold out', holds: 'cups == 0' }],
  maxSteps: 10,
}

/** A model that sells one cup in each step; `wait` holds it up. */
const selling = (wait: () => Promise<void> = async () => {}): Upstream => ({
  ...readerUpstream(),
  model: () =>
    rules(
      async ({ messages }) => {
        await wait()
        return messages.at(-1)?.role === 'tool'
          ? 'Done.'
          : { calls: [{ name: 'sell', arguments: {} }] }
      },
      { window: 8192 },
    ),
})

describe.each(await someStores())('experiments over the API, on %s', (_, create) => {
  const start = (upstream: Upstream, store = create()) =>
    startWithExperiments({ upstream, store, tools: [sell] as never })

  async function all(events: AsyncGenerator<HeardEvent>) {
    const heard: HeardEvent[] = []
    for await (const event of events) heard.push(event)
    return heard
  }

  it('runs a posted plan, tells its events, and runs its plan again', async () => {
    const { api } = await start(selling())
    const started = await api.post('/experiments', { id: 'one', plan })
    expect([started.status, started.body.name]).toEqual([201, 'stand'])
    const events = await all(api.events('/experiments/one/events'))
    expect(events.at(-1)!.data).toMatchObject({
      type: 'state',
      status: 'COMPLETED',
      environment: { cups: 0 },
    })
    const { body } = await api.get('/experiments/one')
    expect(body).toMatchObject({
      status: 'COMPLETED',
      result: 'Sold out',
      steps: 3,
      roles: ['seller'],
    })
    expect(body.snapshots).toHaveLength(4)
    expect((await api.get('/experiments/one/plan')).body).toEqual(plan)
    expect((await api.get('/experiments/one/roles/seller')).body.messages.length).toBeGreaterThan(5)
    expect((await api.get('/experiments/one/roles/none')).status).toBe(404)
    expect((await api.post('/experiments', { id: 'one', plan })).body.error.code).toBe(
      'experiment_exists',
    )
    expect((await api.post('/experiments', { id: 'two', planOf: 'one' })).status).toBe(201)
    await all(api.events('/experiments/two/events'))
    const { body: list } = await api.get('/experiments')
    expect(list.experiments.map(({ id }: { id: string }) => id)).toEqual(['one', 'two'])
    expect((await api.post('/experiments/one/pause')).body.error.code).toBe('experiment_ended')
  })

  it('tells what each role did in each step, with what it changed and its model calls', async () => {
    const { api } = await start(selling())
    await api.post('/experiments', { id: 'one', plan })
    await all(api.events('/experiments/one/events'))
    const { body } = await api.get('/experiments/one/steps?from=2')
    expect(body.steps.map(({ step }: { step: number }) => step)).toEqual([2, 3])
    expect(body.steps[0].acts).toEqual([
      {
        ...{ role: 'seller', turn: 2, status: 'completed', first: 4, last: 6, text: '' },
        ...{ startedAt: expect.any(Number), endedAt: expect.any(Number) },
        tools: [
          {
            ...{ seq: 5, name: 'sell', arguments: '{}', result: 'Sold.', isError: false },
            changes: { cups: '1' },
          },
        ],
        calls: [expect.objectContaining({ status: 'completed', model: 'rules', window: 8192 })],
      },
    ])
    expect((await api.get('/experiments/one/steps?limit=1')).body.steps).toHaveLength(1)
    expect((await api.get('/experiments/one/steps?from=9')).body.steps).toEqual([])
    expect((await api.get('/experiments/none/steps')).body.error.code).toBe('no_experiment')
    const { body: shown } = await api.get('/experiments/one?since=2')
    expect(shown.snapshots.map(({ step }: { step: number }) => step)).toEqual([2, 3])
    expect(shown).toMatchObject({ hasPlan: true, variables: { cups: 'int' } })
    expect(shown.updatedAt).toBeGreaterThanOrEqual(shown.startedAt)
  })

  it('names every problem of a plan with its place', async () => {
    const { api } = await start(selling())
    const roles = [
      { ...plan.roles[0], tools: ['sell', 'fly'] },
      { name: 'seller', model: 'any' },
    ]
    const { body } = await api.post('/experiments', { plan: { ...plan, roles } })
    expect(body.error).toMatchObject({
      code: 'invalid_plan',
      problems: [
        'roles[0].tools[1]: there is no tool "fly"',
        'roles[1].name: another role is called "seller"',
      ],
    })
    const { body: coded } = await api.post('/experiments', {
      plan: { ...plan, tools: './tools.ts' },
    })
    expect(coded.error.problems[0]).toMatch(/^tools: /)
  })

  it('refuses plans that name code or servers, and what is no plan', async () => {
    const { api } = await start(selling())
    const codeOf = async (given: object) =>
      (await api.post('/experiments', { plan: given })).body.error?.code
    expect(await codeOf({ ...plan, tools: './tools.ts' })).toBe('invalid_plan')
    expect(
      await codeOf({ ...plan, roles: [{ ...plan.roles[0], model: 'openai:http://x/v1#m' }] }),
    ).toBe('invalid_plan')
    expect(await codeOf({ name: 'x' })).toBe('invalid_plan')
    expect((await api.post('/experiments', {})).status).toBe(400)
    expect((await api.get('/experiments/none')).body.error.code).toBe('no_experiment')
    expect((await api.get('/experiments')).body).toEqual({ experiments: [] })
  })

  it('pauses, resumes on another server, tells both what happens, and stops', async () => {
    const store = create()
    let calls = 0
    let go = () => {}
    const held = new Promise<void>(resolve => {
      go = resolve
    })
    const one = await start(
      selling(() => (++calls === 2 ? held : Promise.resolve())),
      store,
    )
    await one.api.post('/experiments', { id: 'e', plan })
    await expect.poll(() => calls).toBe(2)
    const other = await start(selling(), store)
    // The other server only sees where it stands.
    const [seen] = [(await other.api.events('/experiments/e/events').next()).value as HeardEvent]
    expect(seen.data).toMatchObject({ type: 'state', status: 'RUNNING' })
    expect((await other.api.post('/experiments/e/resume')).body.error.code).toBe('turn_open')
    const events = all(one.api.events('/experiments/e/events', { lastEventId: '1' }))
    expect((await one.api.post('/experiments/e/pause')).body).toEqual({ is: 'asked' })
    go()
    await expect
      .poll(async () => (await other.api.get('/experiments/e')).body.status)
      .toBe('PAUSED')
    const resumed = await other.api.post('/experiments/e/resume')
    expect(resumed.status).toBe(200)
    await expect
      .poll(async () => (await one.api.get('/experiments/e')).body.status)
      .toBe('COMPLETED')
    const types = (await events).map(({ data }) => data.type)
    expect(types).toContain('paused')
    expect(types.at(-1)).toBe('state')
    const third = await start(
      selling(() => new Promise(() => {})),
      store,
    )
    await third.api.post('/experiments', { id: 'f', plan })
    expect((await third.api.post('/experiments/f/stop')).body).toEqual({ is: 'asked' })
  })
})
