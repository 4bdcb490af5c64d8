import { createHistory } from '@throughline/history'
import { ModelError, type ModelPart } from '@throughline/models/model'
import { sqliteStore } from '@throughline/stores/sqlite'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createExperiments, defineExperiment } from '../src/index.ts'
import {
  broken,
  call,
  newPath,
  openExperiments,
  plain,
  rolesOf,
  script,
  textsOf,
} from './fixture.ts'

const environment = {
  cash: { type: 'float', value: 20 },
  secret: { type: 'string', value: 'the combination is zebra-4471' },
} as const
const nothing = z.object({})

/** The faults that the first implementation of per-role history had: none of them here. */
describe('a fault of the original', () => {
  it('lost the first turn of a role on save: a new process finds it', async () => {
    const path = newPath()
    const plan = defineExperiment({
      name: 'first',
      environment,
      roles: [{ name: 'one', model: script('hello').model }],
      maxSteps: 1,
    })
    const first = createHistory({ store: sqliteStore({ path }) })
    await createExperiments({ history: first }).run(plan, { id: 'e' }).result()
    await first.close()
    const { experiments } = openExperiments(path)
    expect(textsOf(await experiments.history('e', 'one'))[1]).toBe('hello')
  })

  it('stripped the names of tools on save', async () => {
    const { experiments } = openExperiments()
    const plan = defineExperiment({
      name: 'names',
      environment,
      tools: ({ tool }) => [tool({ name: 'look', input: nothing, run: () => 'ok' })],
      roles: [{ name: 'one', model: script(call('look')).model }],
      maxSteps: 1,
    })
    await experiments.run(plan, { id: 'e' }).result()
    expect((await experiments.history('e', 'one')).at(-1)).toMatchObject({
      role: 'tool',
      name: 'look',
      content: 'ok',
    })
  })

  it.each(['Dr. Smith', '$x', '__proto__', 'constructor', '🦩 flamingo', 'a/b\\c "d"'])(
    'crashed on a role named %s',
    async name => {
      const { experiments } = openExperiments()
      const model = script('I am here')
      const other = script('so am I')
      const roles = [
        { name, model: model.model },
        { name: 'other', model: other.model },
      ]
      const plan = defineExperiment({ name: 'odd', environment, roles, maxSteps: 2 })
      await experiments.run(plan, { id: 'e' }).result()
      expect(textsOf(await experiments.history('e', name))[3]).toBe('I am here')
      expect(model.requests[1]!.messages).toHaveLength(3)
      expect((await experiments.show('e')).roles).toEqual([name, 'other'])
    },
  )

  it('let two roles of one name share one history: they are refused', () => {
    const { model } = script('x')
    const roles = [
      { name: 'twin', model },
      { name: 'twin', model },
    ]
    const define = () => defineExperiment({ name: 'twins', environment, roles })
    expect(define).toThrow('roles[1].name: another role is called "twin"')
  })

  it.each([
    ['nothing', undefined, ''],
    ['0', 0, '0'],
    ['false', false, 'false'],
    ['null', null, 'null'],
    ['an empty text', '', ''],
  ] as const)('leaked the environment when a tool returned %s', async (_, value, text) => {
    const { experiments } = openExperiments()
    const model = script(call('give'), 'done')
    const plan = defineExperiment({
      name: 'leak',
      environment,
      tools: ({ tool }) => [
        tool({ name: 'give', input: nothing, endsTurn: false, run: () => value }),
      ],
      roles: [{ name: 'one', model: model.model, variables: ['cash'] }],
      maxSteps: 1,
    })
    await experiments.run(plan, { id: 'e' }).result()
    const messages = await experiments.history('e', 'one')
    expect(messages[2]!.content).toBe(text)
    expect(JSON.stringify([messages, model.requests])).not.toContain('zebra')
  })

  it('looked tools up without regard to what the role may use', async () => {
    const { experiments } = openExperiments()
    const plan = defineExperiment({
      name: 'allowed',
      environment,
      tools: ({ tool }) => [
        tool({ name: 'look', input: nothing, run: () => 'ok' }),
        tool({
          name: 'rob',
          input: nothing,
          run(_, { environment }) {
            environment.cash = 1e6
          },
        }),
      ],
      roles: [{ name: 'one', model: script(call('rob')).model, tools: ['look'] }],
      maxSteps: 1,
    })
    const { environment: after } = await experiments.run(plan, { id: 'e' }).result()
    expect(after.cash).toBe(20)
    expect((await experiments.history('e', 'one')).at(-1)!.content).toBe(
      'Error: there is no tool "rob". There is: look.',
    )
  })

  it('left a dangling call after an unknown tool: the next prompt is valid', async () => {
    const { experiments } = openExperiments()
    const model = script({ calls: [{ name: 'nope' }, { name: 'nope' }] }, 'sorry')
    const plan = defineExperiment({
      name: 'unknown',
      environment,
      roles: [{ name: 'one', model: model.model }],
      maxSteps: 2,
    })
    await experiments.run(plan, { id: 'e' }).result()
    expect(rolesOf(model.requests[1]!.messages)).toEqual([
      'user',
      'assistant',
      'tool',
      'tool',
      'user',
    ])
  })

  it('left an unanswered user message after a stream that broke: it is asked again, nothing of the part stays', async () => {
    const model = broken(async function* (number) {
      yield { type: 'text-delta', text: number === 1 ? 'half of' : 'whole' }
      if (number === 1) {
        yield { type: 'tool-call', id: 'c1', name: 'look', arguments: '{}' }
        throw new ModelError('model_stream_broken', 'It broke off.')
      }
      yield { type: 'end', reason: 'stop', usage: {} }
    })
    const { experiments } = openExperiments()
    const plan = defineExperiment({
      name: 'breaks',
      environment,
      roles: [{ name: 'one', model }],
      maxSteps: 1,
    })
    expect(await experiments.run(plan, { id: 'e' }).result()).toMatchObject({
      result: 'Max Steps Exceeded',
    })
    expect(textsOf(await experiments.history('e', 'one')).slice(1)).toEqual(['whole'])
  })

  it('asks again for a stream that just stops', async () => {
    const model = broken(async function* (number) {
      yield { type: 'text-delta', text: 'some' }
      if (number > 1) yield { type: 'end', reason: 'stop', usage: {} }
    })
    const { experiments } = openExperiments()
    const plan = defineExperiment({
      name: 'stops',
      environment,
      roles: [{ name: 'one', model }],
      maxSteps: 1,
    })
    await experiments.run(plan, { id: 'e' }).result()
    expect(textsOf(await experiments.history('e', 'one')).slice(1)).toEqual(['some'])
  })

  it('takes a reply that has ended, although its stream does not close', async () => {
    let isReturned = false
    const parts: readonly ModelPart[] = [
      { type: 'text-delta', text: 'whole' },
      { type: 'end', reason: 'stop', usage: {} },
    ]
    const model = broken(() => ({
      [Symbol.asyncIterator]() {
        let at = 0
        return {
          next: async () => {
            const value = parts[at++]
            return value ? { done: false, value } : new Promise<never>(() => {})
          },
          return: async () => {
            isReturned = true
            return { done: true, value: undefined }
          },
        }
      },
    }))
    const { history } = openExperiments()
    const experiments = createExperiments({ history, stallMs: 50, backoffMs: 1 })
    const plan = defineExperiment({
      name: 'open',
      environment,
      roles: [{ name: 'one', model }],
      maxSteps: 1,
    })
    expect(await experiments.run(plan, { id: 'e' }).result()).toMatchObject({
      result: 'Max Steps Exceeded',
    })
    expect(textsOf(await experiments.history('e', 'one')).slice(1)).toEqual(['whole'])
    expect([model.calls(), isReturned]).toEqual([1, true])
  })

  it.each([
    ['changes what is under a key "constructor"', 'constructor'],
    ['writes a key __proto__', '__proto__'],
    ['writes a symbol', 'symbol'],
  ])(
    'made the log unreadable when a tool %s: it is its error, and nothing is stored',
    async (_, kind) => {
      const { experiments } = openExperiments()
      const plan = defineExperiment({
        name: 'odd keys',
        environment: {
          bag: { type: 'object', value: { constructor: { n: 0 } } as Record<string, unknown> },
        },
        tools: ({ tool }) => [
          tool({
            name: 'write',
            input: nothing,
            run(_, { environment: { bag } }) {
              if (kind === 'constructor') (bag.constructor as unknown as { n: number }).n += 1
              else if (kind === 'symbol') (bag as Record<symbol, unknown>)[Symbol('x')] = 1
              else bag.inner = JSON.parse('{"__proto__": {"isAdmin": true}}')
            },
          }),
        ],
        roles: [{ name: 'one', model: script(call('write')).model }],
        maxSteps: 1,
      })
      const { environment: after } = await experiments.run(plan, { id: 'e' }).result()
      expect(after).toEqual({ bag: { constructor: { n: 0 } } })
      expect(textsOf(await experiments.history('e', 'one')).at(-1)).toMatch(
        /^Error: Variable "bag": .*key/,
      )
      expect((await experiments.show('e')).environment).toEqual(after)
    },
  )

  it('lost what had happened when a turn failed: the round and its effect are kept, the turn is closed', async () => {
    const model = broken(async function* (number) {
      if (number > 1) throw new ModelError('model_refused', 'No.', { status: 400 })
      yield { type: 'tool-call', id: 'c1', name: 'earn', arguments: '{}' }
      yield { type: 'end', reason: 'tool-calls', usage: {} }
    })
    const { experiments, history } = openExperiments()
    const plan = defineExperiment({
      name: 'fails',
      environment,
      tools: ({ tool }) => [
        tool({
          name: 'earn',
          input: nothing,
          endsTurn: false,
          run: (_, run) => (run.environment.cash += 5),
        }),
      ],
      roles: [{ name: 'one', model }],
    })
    const result = await experiments.run(plan, { id: 'e' }).result()
    expect(result).toMatchObject({
      status: 'FAILED',
      result: 'Error: No.',
      environment: { cash: 25 },
    })
    expect(plain(await experiments.history('e', 'one')).slice(2)).toEqual([
      { role: 'tool', tool_call_id: 'c1', name: 'earn', content: '25' },
      { role: 'assistant', content: '[This turn failed: model_refused.]' },
    ])
    expect((await history.thread('e', { actor: 'one' }).turns())[0]).toMatchObject({
      status: 'failed',
    })
  })

  it('took `maxStepRetries: 0` for 3', async () => {
    const model = broken(() => {
      throw new ModelError('model_unavailable', 'Away.', { status: 503 })
    })
    const { experiments } = openExperiments()
    const roles = [{ name: 'one', model }]
    const plan = defineExperiment({ name: 'none', environment, roles, maxStepRetries: 0 })
    const { result } = await experiments.run(plan).result()
    expect(model.calls()).toBe(1)
    expect(result).toBe('Error: Inference failed after 0 retries.')
  })

  it('never passed the temperature on', async () => {
    const { experiments } = openExperiments()
    const [cold, warm] = [script('x'), script('y')]
    const roles = [
      { name: 'cold', model: cold.model, settings: { temperature: 0 } },
      { name: 'warm', model: warm.model, settings: { temperature: 0.9, seed: 7 } },
    ]
    await experiments
      .run(defineExperiment({ name: 'warmth', environment, roles, maxSteps: 1 }))
      .result()
    expect(cold.requests[0]!.settings).toEqual({ temperature: 0 })
    expect(warm.requests[0]!.settings).toEqual({ temperature: 0.9, seed: 7 })
  })
})
