import { rules } from '@throughline/models/reader'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { InvalidPlanError } from '../experiment-error.ts'
import { defineExperiment } from './define-experiment.ts'

import { defineExperimentTool, type ExperimentToolRun } from './experiment-tool.ts'

const model = rules(() => 'yes')
const environment = { cash: { type: 'float', value: 20 } } as const
const roles = [{ name: 'one', model }]

function problemsOf(options: object): readonly string[] {
  try {
    defineExperiment({ name: 'test', environment, roles, ...options })
  } catch (error) {
    if (error instanceof InvalidPlanError) return error.problems
    throw error
  }
  return []
}

describe('defineExperiment', () => {
  it('knows the types of the environment, everywhere', () => {
    const plan = defineExperiment({
      name: 'lemonade',
      environment: {
        cash: { type: 'float', value: 20 },
        weather: { type: 'enum:[sunny,rainy]', value: 'sunny' },
        sales: { type: 'array', value: [] as number[] },
      },
      tools: ({ tool }) => [
        tool({
          name: 'sell',
          input: z.object({ cups: z.int() }),
          run({ cups }, { environment, role, step }) {
            expectTypeOf(cups).toEqualTypeOf<number>()
            expectTypeOf(environment.weather).toEqualTypeOf<'sunny' | 'rainy'>()
            expectTypeOf(environment.sales).toEqualTypeOf<number[]>()
            expectTypeOf(role).toEqualTypeOf<string>()
            expectTypeOf(step).toEqualTypeOf<number>()
            environment.cash += cups
            // @ts-expect-error there is no such variable
            environment.wealth = 1
            // @ts-expect-error it is not one of the words
            environment.weather = 'snow'
          },
        }),
      ],
      roles: [
        { name: 'seller', model, variables: ['cash', 'weather'] },
        // @ts-expect-error any text is not the name of a variable
        { name: 'other', model, variables: ['cash', 'nothing'].slice(0, 1) },
      ],
      goals: [
        { description: 'rich', holds: ({ cash }) => cash >= 1000 },
        {
          description: 'wet',
          holds: ({ weather }) => {
            expectTypeOf(weather).toEqualTypeOf<'sunny' | 'rainy'>()
            return weather === 'rainy'
          },
        },
      ],
      hooks: [
        {
          on: 'before-role',
          run({ role, environment }) {
            expectTypeOf(role).toEqualTypeOf<string>()
            expectTypeOf(environment.cash).toEqualTypeOf<number>()
            // @ts-expect-error hooks only look
            environment.cash = environment.cash * 1
            return { inject: 'Hello.' }
          },
        },
        // @ts-expect-error nothing can be injected after a tool
        { on: 'after-tool', run: ({ result }) => ({ inject: result.text }) },
      ],
    })
    expect(plan).toMatchObject({ name: 'lemonade', maxSteps: 10, maxStepRetries: 3 })
    expect(plan.environment).toEqual({ cash: 20, weather: 'sunny', sales: [] })
  })

  it('copies what it is given', () => {
    const value = [1]
    const plan = defineExperiment({
      name: 'x',
      environment: { list: { type: 'array', value } },
      roles,
    })
    value.push(2)
    expect(plan.environment).toEqual({ list: [1] })
  })

  it('tells all that is wrong at once, with its place', () => {
    const twice = { name: 'add', input: z.object({}), run: () => 1 }
    expect(
      problemsOf({
        name: '',
        environment: {
          cash: { type: 'float', value: 'much' },
          weather: { type: 'enum:[]', value: 'x' },
        },
        tools: ({ tool }: { tool: (options: object) => unknown }) => [tool(twice), tool(twice)],
        roles: [
          { name: 'one', model, tools: ['add'], maxRounds: 0 },
          { name: 'one', model, tools: ['x'], variables: ['nope'] },
          { name: 'throughline:run', model: 'reader' },
          { name: '', model, cap: 1.5 },
        ],
        goals: [{ description: '', holds: () => true }],
        maxSteps: 0,
        maxStepRetries: -1,
      }),
    ).toEqual([
      'name: expected a name',
      'environment.cash.value: Variable "cash": expected a float (a number), got "much"',
      'environment.weather.type: expected string, int, float, bool, array, object or enum:[A,B], got "enum:[]"',
      'tools[1].name: another tool is called "add"',
      'roles[0].maxRounds: expected a whole number above 0',
      'roles[1].name: another role is called "one"',
      'roles[1].tools[0]: there is no tool "x"',
      'roles[1].variables[0]: there is no variable "nope"',
      'roles[2].name: "throughline:run" is reserved',
      'roles[2].model: expected a model',
      'roles[3].name: expected a name',
      'roles[3].cap: expected a whole number above 0',
      'goals[0].description: expected a text',
      'maxSteps: expected a whole number, 1 or more, got 0',
      'maxStepRetries: expected a whole number, 0 or more, got -1',
    ])
    expect(problemsOf({ roles: [] })).toEqual(['roles: expected at least one'])
    expect(problemsOf({ roles: [{ name: 'throughline:control', model }] })).toHaveLength(1)
  })

  it('refuses a tool that a role names twice, and a reserve that cannot be', () => {
    const tools = ({ tool }: { tool: (options: object) => unknown }) => [
      tool({ name: 'add', input: z.object({}), run: () => 1 }),
    ]
    const role = (name: string, options: object) => ({ name, model, ...options })
    expect(
      problemsOf({
        tools,
        roles: [
          role('a', { tools: ['add', 'add'] }),
          role('b', { reserve: -1 }),
          role('c', { reserve: 0.5 }),
          role('d', { window: 100, reserve: 100 }),
          role('e', { window: 100, reserve: 99, tools: ['add'] }),
        ],
      }),
    ).toEqual([
      'roles[0].tools[1]: "add" is named twice',
      'roles[1].reserve: expected a whole number, 0 or more',
      'roles[2].reserve: expected a whole number, 0 or more',
      'roles[3].reserve: leaves nothing of a window of 100',
    ])
  })

  it.each(['__proto__', 'constructor', 'prototype'])('refuses a variable named %s', name => {
    const odd = JSON.parse(`{"${name}": {"type": "int", "value": 1}}`) as object
    expect(problemsOf({ environment: odd })).toEqual([
      `environment.${name}: no variable can have this name`,
    ])
  })

  it('refuses a value with a key that no store keeps', () => {
    const value = [JSON.parse('{"__proto__": {"isAdmin": true}}')]
    expect(problemsOf({ environment: { list: { type: 'array', value } } })).toEqual([
      'environment.list.value: Variable "list": no value can have the key __proto__',
    ])
    const odd = { [Symbol('x')]: 1 }
    expect(problemsOf({ environment: { bag: { type: 'object', value: odd } } })).toEqual([
      'environment.bag.value: Variable "bag": no value can have the key Symbol(x)',
    ])
  })
})

describe('defineExperimentTool', () => {
  interface Stand {
    cash: number
  }
  const input = z.object({ sum: z.int() })

  it('knows the environment by its type alone, whatever the input', () => {
    const earn = defineExperimentTool<Stand>({
      name: 'earn',
      input: z.object({ sum: z.int(), why: z.string().optional() }),
      run: ({ sum }, { environment }) => {
        environment.cash += sum
      },
    })
    expect(earn).toMatchObject({ name: 'earn', parameters: { required: ['sum'] } })
    defineExperimentTool<Stand>({
      name: 'earn',
      input,
      // @ts-expect-error there is no such variable
      run: ({ sum }, { environment }) => sum + environment.money,
    })
  })

  it('knows both where the type of the environment stands at its use', () => {
    const earn = defineExperimentTool({
      name: 'earn',
      input,
      run: ({ sum }, { environment }: ExperimentToolRun<Stand>) => {
        expectTypeOf(sum).toEqualTypeOf<number>()
        environment.cash += sum
      },
    })
    const environment: Stand = { cash: 1 }
    earn.run({ sum: 2 }, { environment } as never)
    expect(environment.cash).toBe(3)
    defineExperimentTool({
      name: 'earn',
      input,
      // @ts-expect-error the input has no such property
      run: ({ money }, { environment }: ExperimentToolRun<Stand>) => environment.cash + money,
    })
  })

  it('takes the types of both too', () => {
    const earn = defineExperimentTool<Stand, typeof input>({
      name: 'earn',
      input,
      // @ts-expect-error the sum is a number
      run: ({ sum }, { environment }) => sum.length + environment.cash,
    })
    expect(earn.name).toBe('earn')
  })
})
