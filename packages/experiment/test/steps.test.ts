import { assistant, user } from '@throughline/core/testing'
import { ModelError } from '@throughline/models/model'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineExperiment, type ExperimentTools } from '../src/index.ts'
import {
  broken,
  call,
  eventsOf,
  openExperiments,
  plain,
  rolesOf,
  script,
  textsOf,
} from './fixture.ts'

const environment = {
  count: { type: 'int', value: 0 },
  secret: { type: 'string', value: 'hush' },
} as const
const nothing = z.object({})

type Tools = ExperimentTools<{ count: number; secret: string }>
const tools: Tools = ({ tool }) => [
  tool({ name: 'add', input: nothing, run: (_, { environment }) => ++environment.count }),
  tool({
    name: 'look',
    input: nothing,
    endsTurn: false,
    run: (_, { environment: { count } }) => ({ count }),
  }),
  tool({
    name: 'fail',
    input: nothing,
    run(_, { environment }) {
      environment.count = 99
      throw new Error('the shop is closed')
    },
  }),
]

async function runOne(model: ReturnType<typeof script>, rest: object = {}) {
  const opened = openExperiments()
  const role = { name: 'one', model: model.model, system: 'Count.' }
  const plan = defineExperiment({
    name: 'test',
    environment,
    tools,
    roles: [role],
    maxSteps: 1,
    ...rest,
  })
  const result = await opened.experiments.run(plan, { id: 'test' }).result()
  return { ...opened, result, messages: await opened.experiments.history('test', 'one') }
}

describe('a step', () => {
  it('sends system and user first, then the whole past of the role', async () => {
    const model = script('one', 'two')
    const { result, messages } = await runOne(model, { maxSteps: 2 })
    const [first, second] = model.requests.map(({ messages }) => messages)
    expect(plain(first!)).toEqual([
      { role: 'system', content: 'Count.' },
      user('Step 1. Current Environment: {"count":0,"secret":"hush"}'),
    ])
    expect(plain(second!)).toEqual([
      { role: 'system', content: 'Count.' },
      user('Step 1. Current Environment: {"count":0,"secret":"hush"}'),
      assistant('one'),
      user('Step 2. Current Environment: {"count":0,"secret":"hush"}'),
    ])
    expect(rolesOf(messages)).toEqual(['user', 'assistant', 'user', 'assistant'])
    expect(result).toMatchObject({ status: 'FAILED', result: 'Max Steps Exceeded', steps: 2 })
  })

  it('stores user, assistant with its calls, tool with its name, assistant', async () => {
    const model = script({ text: 'Let me see.', ...call('look') }, 'There are none.')
    const { messages } = await runOne(model)
    const [, asked, answered, last] = plain(messages)
    const [{ id }] = (asked as { tool_calls: [{ id: string }] }).tool_calls
    expect(asked).toEqual({
      role: 'assistant',
      content: 'Let me see.',
      tool_calls: [{ id, type: 'function', function: { name: 'look', arguments: '{}' } }],
    })
    expect(answered).toEqual({
      role: 'tool',
      name: 'look',
      tool_call_id: id,
      content: '{"count":0}',
    })
    expect(last).toEqual(assistant('There are none.'))
  })

  it('ends the turn on the tool message, unless all tools of the round let it go on', async () => {
    const ends = script(call('add'))
    expect(rolesOf((await runOne(ends)).messages)).toEqual(['user', 'assistant', 'tool'])
    const mixed = script({ calls: [{ name: 'look' }, { name: 'add' }] })
    expect(rolesOf((await runOne(mixed)).messages)).toEqual(['user', 'assistant', 'tool', 'tool'])
    const goesOn = script({ calls: [{ name: 'look' }, { name: 'look' }] }, 'done')
    const { messages } = await runOne(goesOn)
    expect(rolesOf(messages)).toEqual(['user', 'assistant', 'tool', 'tool', 'assistant'])
  })

  it('asks the model at most five times in a turn, or as often as the role says', async () => {
    const model = script(call('look'))
    const { messages, result } = await runOne(model)
    expect(model.requests).toHaveLength(5)
    expect(messages.at(-1)!.role).toBe('tool')
    expect(result.result).toBe('Max Steps Exceeded')
    const twice = script(call('look'))
    await runOne(twice, { roles: [{ name: 'one', model: twice.model, maxRounds: 2 }] })
    expect(twice.requests).toHaveLength(2)
  })

  it('makes `Error: …` of a tool that fails, and takes back what it changed', async () => {
    const { messages, result } = await runOne(script(call('fail')))
    expect(messages.at(-1)!.content).toBe('Error: the shop is closed')
    expect(result.environment).toMatchObject({ count: 0 })
  })

  it('takes back what a tool changed whose result is too large to be kept', async () => {
    const model = script(call('much'))
    const much: Tools = ({ tool }) => [
      tool({
        name: 'much',
        input: nothing,
        run(_, { environment }) {
          environment.count = 7
          return 'x'.repeat(9 * 2 ** 20)
        },
      }),
    ]
    const { messages, result } = await runOne(model, { tools: much })
    expect(messages.at(-1)!.content).toMatch(/^Error: .* the limit is/)
    expect(result.environment).toMatchObject({ count: 0 })
  })

  it('takes a part of the environment for a result', async () => {
    const model = script(call('all'))
    const all: Tools = ({ tool }) => [
      tool({
        name: 'all',
        input: nothing,
        run: (_, run) => Object.assign(run.environment, { count: 3 }),
      }),
    ]
    const { messages } = await runOne(model, { tools: all })
    expect(messages.at(-1)!.content).toBe('{"count":3,"secret":"hush"}')
  })

  it('makes `Error: …` of a value that a variable cannot have, with its name and the value', async () => {
    const bad: Tools = ({ tool }) => [
      tool({
        name: 'bad',
        input: nothing,
        run: (_, run) => Object.assign(run.environment, { count: 1.5 }).count,
      }),
    ]
    const { messages, result } = await runOne(script(call('bad')), { tools: bad })
    expect(messages.at(-1)!.content).toBe(
      'Error: Variable "count": expected an int (a whole number), got 1.5',
    )
    expect(result.environment).toMatchObject({ count: 0 })
  })

  it('runs the tools of a round in the order of the calls, each on what the one before left', async () => {
    const calls = [{ name: 'add' }, { name: 'look' }, { name: 'add' }]
    const { messages, result } = await runOne(script({ calls }))
    expect(textsOf(messages).slice(2)).toEqual(['1', '{"count":1}', '2'])
    expect(result.environment).toEqual({ count: 2, secret: 'hush' })
  })

  it('lets the roles act in order, each on what the ones before have done, none in the history of another', async () => {
    const { experiments } = openExperiments()
    const [a, b] = [script(call('add')), script('seen')]
    const roles = [
      { name: 'a', model: a.model, variables: ['count'] as const },
      { name: 'b', model: b.model, variables: ['count'] as const, tools: [] },
    ]
    const plan = defineExperiment({ name: 'two', environment, tools, roles, maxSteps: 2 })
    await experiments.run(plan, { id: 'two' }).result()
    expect(textsOf(await experiments.history('two', 'b'))).toEqual([
      'Step 1. Current Environment: {"count":1}',
      'seen',
      'Step 2. Current Environment: {"count":2}',
      'seen',
    ])
    expect(a.requests[0]!.tools!.map(({ name }) => name)).toEqual(['add', 'look', 'fail'])
    expect(b.requests[0]!.tools).toEqual([])
  })
})

describe('an end', () => {
  const goals = [
    { description: 'too many', holds: ({ count }: { count: number }) => count > 5 },
    { description: 'two of them', holds: ({ count }: { count: number }) => count === 2 },
    { description: 'also two', holds: ({ count }: { count: number }) => count === 2 },
  ]

  it('is the first goal that holds after a step', async () => {
    const { result, experiments } = await runOne(script(call('add')), { goals, maxSteps: 9 })
    expect(result).toMatchObject({ status: 'COMPLETED', result: 'two of them', steps: 2 })
    expect((await experiments.show('test')).goals.map(({ isMet }) => isMet)).toEqual([
      false,
      true,
      false,
    ])
  })

  it('is FAILED with the description of a goal whose outcome is that', async () => {
    const [, two] = goals
    const { result } = await runOne(script(call('add')), {
      goals: [{ ...two!, outcome: 'failed' }],
      maxSteps: 9,
    })
    expect(result).toMatchObject({ status: 'FAILED', result: 'two of them', steps: 2 })
  })

  it('is FAILED when a goal cannot be tested', async () => {
    const holds = () => {
      throw new Error('no such thing')
    }
    const { result } = await runOne(script('x'), { goals: [{ description: 'odd', holds }] })
    expect(result).toMatchObject({
      status: 'FAILED',
      result: 'Error: The goal "odd" cannot be tested: no such thing',
    })
  })

  it.each([
    [429, 'model_busy'],
    [503, 'model_unavailable'],
    [undefined, 'model_unavailable'],
  ] as const)(
    'comes after the retries that the plan allows, for a model that says %s',
    async (status, code) => {
      const model = broken(() => {
        throw new ModelError(code, 'Not now.', status === undefined ? {} : { status })
      })
      const { experiments } = openExperiments()
      const roles = [{ name: 'one', model }]
      const plan = defineExperiment({ name: 'busy', environment, roles, maxStepRetries: 2 })
      const run = experiments.run(plan, { id: 'busy' })
      const events = await eventsOf(run)
      expect(model.calls()).toBe(3)
      expect(await run.result()).toMatchObject({
        status: 'FAILED',
        result: 'Error: Inference failed after 2 retries.',
      })
      expect(events.filter(({ type }) => type === 'warning')).toHaveLength(2)
      expect((await experiments.show('busy')).status).toBe('FAILED')
    },
  )

  it.each([400, 401, 403, 404])('comes at once for a model that says %i', async status => {
    const model = broken(() => {
      throw new ModelError(status === 404 ? 'model_not_found' : 'model_refused', 'No.', { status })
    })
    const { experiments } = openExperiments()
    const plan = defineExperiment({ name: 'refused', environment, roles: [{ name: 'one', model }] })
    const result = await experiments.run(plan).result()
    expect(model.calls()).toBe(1)
    expect(result).toMatchObject({ status: 'FAILED', result: 'Error: No.', steps: 0 })
  })
})

describe('what a role remembers', () => {
  it('can be seeded before the first step, once', async () => {
    const model = script('yes')
    const history = [user('You are Ada.'), assistant('I am Ada.')]
    const roles = [{ name: 'one', model: model.model, history }]
    const { messages } = await runOne(model, { roles, maxSteps: 2 })
    expect(textsOf(model.requests[0]!.messages)).toEqual([
      'You are Ada.',
      'I am Ada.',
      'Step 1. Current Environment: {"count":0,"secret":"hush"}',
    ])
    expect(messages).toHaveLength(6)
  })

  it('can be capped: the last messages are sent, all are kept', async () => {
    const model = script('yes')
    const roles = [{ name: 'one', model: model.model, cap: 2 }]
    const { messages } = await runOne(model, { roles, maxSteps: 8 })
    expect(messages).toHaveLength(16)
    const sent = textsOf(model.requests.at(-1)!.messages).join('\n')
    expect(sent).toContain('Step 8.')
    expect(sent).not.toContain('Step 4.')
    expect(sent).not.toContain('Step 6.')
  })

  it('can be fitted to a token window', async () => {
    const model = script('word '.repeat(200))
    const roles = [{ name: 'one', model: model.model, window: 1200, reserve: 100 }]
    const { messages, history } = await runOne(model, { roles, maxSteps: 8 })
    expect(messages).toHaveLength(16)
    const [newest] = await history.thread('test', { actor: 'one' }).calls()
    expect(newest!.predicted).toBeLessThanOrEqual(1100)
    expect(model.requests.at(-1)!.messages.length).toBeLessThan(15)
  })

  it('may have notes, which nobody else sees', async () => {
    const model = script('Fine. [NOTE TO SELF: the tide is low]', 'Good.')
    const roles = [{ name: 'one', model: model.model, notes: true }]
    const { messages, history } = await runOne(model, { roles, maxSteps: 2 })
    expect(textsOf(messages)[1]).toBe('Fine.')
    expect(await history.thread('test', { actor: 'one' }).notes()).toEqual(['the tide is low'])
    expect(textsOf(model.requests[1]!.messages).join('\n')).toContain('the tide is low')
  })
})
