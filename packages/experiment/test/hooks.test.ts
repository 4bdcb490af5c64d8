import { createHistory } from '@throughline/history'
import { memoryStore } from '@throughline/stores'
import type { Store } from '@throughline/stores/store'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createExperiments, defineExperiment, type Hook, type HookPoint } from '../src/index.ts'
import { call, eventsOf, openExperiments, rolesOf, script, textsOf } from './fixture.ts'

const environment = { count: { type: 'int', value: 0 } } as const
type E = { count: number }

async function runWith(
  hooks: readonly Hook<E>[],
  { maxSteps = 2, answer = call('add') as object } = {},
) {
  const { experiments } = openExperiments()
  const [first, second] = [script(answer), script('seen')]
  const plan = defineExperiment({
    name: 'hooks',
    environment,
    tools: ({ tool }) => [
      tool({ name: 'add', input: z.object({}), run: (_, run) => ++run.environment.count }),
      tool({
        name: 'look',
        input: z.object({}),
        endsTurn: false,
        run: (_, run) => run.environment.count,
      }),
    ],
    roles: [
      { name: 'first', model: first.model },
      { name: 'second', model: second.model, tools: [] },
    ],
    hooks,
    maxSteps,
  })
  const run = experiments.run(plan, { id: 'e' })
  const events = await eventsOf(run)
  const of = (role: string) => experiments.history('e', role)
  return {
    events,
    result: await run.result(),
    first: await of('first'),
    second: await of('second'),
    asked: first.requests,
  }
}

it('a hook learns whether a tool failed, whatever its result says', async () => {
  const told: unknown[] = []
  const { experiments } = openExperiments()
  const plan = defineExperiment({
    name: 'told',
    environment,
    tools: ({ tool }) => [
      tool({ name: 'tail', input: z.object({}), run: () => 'Error: is the first word of the log' }),
      tool({ name: 'fail', input: z.object({}), run: () => Promise.reject(new Error('no disk')) }),
    ],
    roles: [
      { name: 'one', model: script(call('tail')).model },
      { name: 'two', model: script(call('fail')).model },
    ],
    hooks: [{ on: 'after-tool', run: ({ result }) => void told.push(result?.isError) }],
    maxSteps: 1,
  })
  await eventsOf(experiments.run(plan, { id: 'e' }))
  expect(told).toEqual([false, true])
})

describe('hooks', () => {
  it('run at every point, in order, and see the environment', async () => {
    const seen: string[] = []
    const points = ['experiment', 'step', 'role', 'model', 'tool'].flatMap(what => [
      `before-${what}`,
      `after-${what}`,
    ])
    const hooks = points.map(on => ({
      on: on as HookPoint,
      run: (context: { environment: E; role?: string }) => {
        seen.push(
          [on, context.role, context.environment.count]
            .filter(part => part !== undefined)
            .join(' '),
        )
      },
    })) as unknown as readonly Hook<E>[]
    await runWith(hooks, { maxSteps: 1 })
    expect(seen).toEqual([
      'before-experiment 0',
      'before-step 0',
      'before-role first 0',
      'before-model first 0',
      'after-model first 0',
      'before-tool first 0',
      'after-tool first 1',
      'after-role first 1',
      'before-role second 1',
      'before-model second 1',
      'after-model second 1',
      'after-role second 1',
      'after-step 1',
      'after-experiment 1',
    ])
  })

  it('inject a message before the one of the step, for a role or for all of them', async () => {
    const { first, second } = await runWith([
      { on: 'before-step', run: ({ step }) => (step === 2 ? { inject: 'It rains.' } : undefined) },
      {
        on: 'before-role',
        run: ({ role, step }) =>
          role === 'second' && step === 2 ? { inject: 'Hush.' } : undefined,
      },
    ])
    expect(textsOf(first).slice(3, 5)).toEqual([
      'It rains.',
      'Step 2. Current Environment: {"count":1}',
    ])
    expect(textsOf(second).slice(2, 5)).toEqual([
      'It rains.',
      'Hush.',
      'Step 2. Current Environment: {"count":2}',
    ])
  })

  it('inject a message before the model is asked again', async () => {
    const hooks: readonly Hook<E>[] = [
      {
        on: 'before-model',
        run: ({ round, role }) =>
          round === 2 && role === 'first' ? { inject: 'Hurry.' } : undefined,
      },
    ]
    const { first, asked } = await runWith(hooks, { maxSteps: 1, answer: call('look') })
    expect(rolesOf(first).slice(0, 4)).toEqual(['user', 'assistant', 'tool', 'user'])
    expect(textsOf(asked[1]!.messages).at(-1)).toBe('Hurry.')
  })

  it('skip a role', async () => {
    const { first, second, events } = await runWith([
      {
        on: 'before-role',
        run: ({ role, step }) => (role === 'first' && step === 1 ? { skip: true } : undefined),
      },
    ])
    expect(textsOf(first)[0]).toMatch(/^Step 2\./)
    expect(textsOf(second)[0]).toBe('Step 1. Current Environment: {"count":0}')
    expect(events).toContainEqual({ type: 'role-ended', step: 1, role: 'first', isSkipped: true })
  })

  it('skip a tool, which the model is told', async () => {
    const { first, result } = await runWith([{ on: 'before-tool', run: () => ({ skip: true }) }])
    expect(textsOf(first)[2]).toBe('Error: this tool was not run')
    expect(result.environment).toEqual({ count: 0 })
  })

  it('end the step: the roles that are left do not act, the goals are tested', async () => {
    const { second, result, events } = await runWith([
      {
        on: 'after-role',
        run: ({ role, step }) => (role === 'first' && step === 1 ? { endStep: true } : undefined),
      },
    ])
    expect(textsOf(second)[0]).toMatch(/^Step 2\./)
    expect(result.steps).toBe(2)
    expect(events.filter(({ type }) => type === 'step-ended')).toHaveLength(2)
  })

  it.each([
    ['before-experiment', 0, 0],
    ['before-step', 0, 0],
    ['before-role', 0, 0],
    ['before-model', 0, 2],
    ['after-model', 1, 3],
    ['before-tool', 1, 3],
    ['after-tool', 1, 3],
    ['after-role', 1, 3],
    ['after-step', 1, 3],
  ] as const)('stop the experiment %s, and leave no turn torn', async (on, count, messages) => {
    const { result, first } = await runWith([{ on, run: () => ({ stop: 'enough' }) } as Hook<E>])
    expect(result).toMatchObject({ status: 'STOPPED', result: 'enough', environment: { count } })
    expect(first).toHaveLength(messages)
    if (messages > 0) expect(['assistant', 'tool']).toContain(first.at(-1)!.role)
  })

  it('that fail end the experiment, in a turn that is closed', async () => {
    const fail = () => {
      throw new Error('no disk')
    }
    const { result, first } = await runWith([{ on: 'after-tool', run: fail }])
    expect(result).toMatchObject({
      status: 'FAILED',
      result: 'Error: The hook after-tool failed: no disk',
      environment: { count: 1 },
    })
    expect(textsOf(first).slice(2)).toEqual(['1', '[This turn failed: hook_failed.]'])
    const early = await runWith([{ on: 'after-model', run: fail }], {
      answer: { text: 'I add.', ...call('add') },
    })
    // The reply is complete, so no closing message follows: two answers in a row would break the next call.
    expect(textsOf(early.first).slice(1)).toEqual(['I add.'])
    const last = await runWith([{ on: 'after-experiment', run: fail }])
    expect(last.result).toMatchObject({
      status: 'FAILED',
      result: 'Error: The hook after-experiment failed: no disk',
    })
  })

  it('that fail are recorded where the plan says so, and the others still run', async () => {
    const fail = () => {
      throw new Error('no disk')
    }
    const { result, first, events } = await runWith(
      [
        { on: 'before-role', run: fail, onError: 'record' },
        { on: 'before-role', run: () => ({ inject: 'Hello.' }) },
      ],
      { maxSteps: 1 },
    )
    expect(result.result).toBe('Max Steps Exceeded')
    expect(textsOf(first)[0]).toBe('Hello.')
    const message = 'The hook before-role failed: no disk'
    expect(events).toContainEqual({ type: 'warning', code: 'hook_failed', message })
  })

  it('are asked once at each point, although the experiment is paused between', async () => {
    const { experiments } = openExperiments()
    const asked: string[] = []
    const pauses = { isWanted: true }
    const plan = defineExperiment({
      name: 'paused',
      environment,
      roles: ['a', 'b'].map(name => ({ name, model: script('x').model })),
      hooks: [
        { on: 'before-experiment', run: () => void asked.push('experiment') },
        { on: 'before-step', run: ({ step }) => void asked.push(`step ${step}`) },
        {
          on: 'after-role',
          async run({ role, step }) {
            asked.push(`${role} ${step}`)
            if (pauses.isWanted) await experiments.pause('e')
          },
        },
      ],
      maxSteps: 1,
    })
    await experiments.run(plan, { id: 'e' }).result()
    pauses.isWanted = false
    await experiments.resume(plan, 'e').result()
    expect(asked).toEqual(['experiment', 'step 1', 'a 1', 'b 1'])
  })

  it('that never answer do not keep an experiment from being paused, nor does a wish', async () => {
    const never = () => new Promise<undefined>(() => {})
    for (const on of ['before-step', 'after-tool', 'after-experiment', 'wish'] as const) {
      const { history } = openExperiments()
      const experiments = createExperiments({ history, ...(on === 'wish' && { wishOf: never }) })
      const abort = new AbortController()
      const asked = () => {
        abort.abort()
        return never()
      }
      const plan = (run: () => undefined | Promise<undefined>) =>
        defineExperiment({
          name: 'never',
          environment,
          tools: ({ tool }) => [tool({ name: 'look', input: z.object({}), run: () => 'ok' })],
          roles: [{ name: 'a', model: script(call('look')).model }],
          hooks: on === 'wish' ? [{ on: 'before-step', run }] : [{ on, run } as Hook<E>],
          maxSteps: 1,
        })
      const wishing = on === 'wish' ? () => void setTimeout(() => abort.abort(), 5) : asked
      const { status } = await experiments
        .run(plan(wishing), { id: 'e', signal: abort.signal })
        .result()
      expect([on, status]).toEqual([on, 'PAUSED'])
      const later = createExperiments({ history }).resume(
        plan(() => undefined),
        'e',
      )
      expect(await later.result()).toMatchObject({ steps: 1, result: 'Max Steps Exceeded' })
    }
  })

  it('after the experiment are not asked again when the end could not be written', async () => {
    const store = memoryStore()
    const asked: number[] = []
    const plan = defineExperiment({
      name: 'ends',
      environment,
      roles: [{ name: 'a', model: script('x').model }],
      goals: [{ description: 'at once', holds: () => true }],
      hooks: [{ on: 'after-experiment', run: ({ step }) => void asked.push(step) }],
    })
    const away: Store = {
      ...store,
      end: (key, end) =>
        key.actor === 'throughline:run' ? Promise.reject(new Error('away')) : store.end(key, end),
    }
    const run = (on: Store) => createExperiments({ history: createHistory({ store: on }) })
    await expect(run(away).run(plan, { id: 'e' }).result()).rejects.toThrow('away')
    expect(await run(store).resume(plan, 'e').result()).toMatchObject({
      status: 'COMPLETED',
      steps: 1,
    })
    expect(asked).toEqual([1])
  })

  it('cannot change the environment', async () => {
    const change = ({ environment }: { environment: Readonly<E> }) => {
      ;(environment as E).count = 7
    }
    const { result } = await runWith([{ on: 'before-step', run: change }])
    expect(result).toMatchObject({ status: 'FAILED', environment: { count: 0 } })
  })
})
