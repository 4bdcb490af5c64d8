import { rules } from '@throughline/models/reader'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { InvalidPlanError } from '../experiment-error.ts'
import { defineExperimentTool } from './experiment-tool.ts'
import { parseExperiment } from './parse-experiment.ts'
import type { PlanJson } from './plan-json.ts'

const json: PlanJson = {
  name: 'lemonade',
  environment: {
    lemons: { type: 'int', value: 3 },
    cash: { type: 'float', value: 20 },
    open: { type: 'bool', value: true },
    weather: { type: 'enum:[sunny,rainy]', value: 'sunny' },
    sales: { type: 'array', value: [1, 2] },
    shop: { type: 'object', value: { street: 'Harbour', number: 7 } },
  },
  roles: [
    {
      name: 'seller',
      model: 'reader',
      tools: ['sell'],
      policy: { sliding: 50 },
      settings: { temperature: 0.2 },
    },
  ],
  goals: [{ description: 'rich', holds: 'cash >= 1000' }],
  maxSteps: 5,
  maxStepRetries: 0,
}
const tools = [defineExperimentTool({ name: 'sell', input: z.object({}), run: () => 1 })]

const parse = (changes: object, options: object = { tools }) =>
  parseExperiment({ ...json, ...changes }, options)

function problemsOf(changes: object, options?: object): readonly string[] {
  try {
    parse(changes, options)
  } catch (error) {
    if (error instanceof InvalidPlanError) return error.problems
    throw error
  }
  return []
}

const holds = (expression: string, environment: object = {}) => {
  const plan = parse({ goals: [{ description: 'x', holds: expression }] })
  return plan.goals[0]!.holds({ ...plan.environment, ...environment })
}

/** Variables of which some are called as CEL calls its types. */
const inCel = (expression: string) => ({
  environment: {
    list: { type: 'array', value: [1] },
    map: { type: 'object', value: { a: 1 } },
    type: { type: 'string', value: 'x' },
    int: { type: 'int', value: 1 },
    items: { type: 'array', value: [1] },
    word: { type: 'string', value: 'list' },
    shop: { type: 'object', value: { list: 1 } },
  },
  goals: [{ description: 'odd', holds: expression }],
})

describe('parseExperiment', () => {
  it('reads a plan from a text or a value, and keeps it', () => {
    for (const given of [json, JSON.stringify(json)]) {
      const plan = parseExperiment(given, { tools })
      expect(plan).toMatchObject({ name: 'lemonade', maxSteps: 5, maxStepRetries: 0, json })
      expect(plan.roles[0]).toMatchObject({
        tools: ['sell'],
        settings: { temperature: 0.2 },
        policy: { name: 'sliding' },
        model: { name: 'reader' },
      })
      expect(plan.tools.get('sell')!.endsTurn).toBe(true)
      expect(JSON.parse(JSON.stringify(plan.json))).toEqual(json)
    }
  })

  it.each([
    ['lemons + 1 > 3', true],
    ['lemons / 2 == 1', true],
    ['lemons % 2 == 1', true],
    ['cash >= 1000', false],
    ['cash == 20', true],
    ['20 != cash', false],
    ['lemons == 3.0', true],
    ['cash + lemons * 2 > 25', true],
    ['cash - 0.5 == 19.5', true],
    ['cash * 2 >= 40', true],
    ['open && weather == "sunny"', true],
    ['!open || weather in ["rainy"]', false],
    ['size(sales) == 2 && sales[0] == 1', true],
    ['sales.exists(sale, sale > 1)', true],
    ['shop.street.startsWith("Har") && shop.number > 6', true],
    ['lemons == 0 ? cash > 1.0 : cash > 100.0', false],
  ])('understands the goal %s', (expression, expected) => {
    expect(holds(expression)).toBe(expected)
  })

  it('passes whole numbers exactly', () => {
    expect(holds('lemons + 1 > 9007199254740991', { lemons: Number.MAX_SAFE_INTEGER })).toBe(true)
  })

  it.each([
    ['cash >=', 'Unexpected token'],
    ['wealth > 1', 'Unknown variable: wealth'],
    ['weather > 3', 'no such overload: string > int'],
    ['lemons + 1', 'expected true or false, it gives int'],
    ['process.exit(1)', 'Unknown variable: process'],
    ['constructor.constructor("return 1")()', 'Unexpected'],
  ])('refuses the goal %s before anything runs, by name', (expression, problem) => {
    const problems = problemsOf({
      goals: [json.goals![0], { description: 'odd', holds: expression }],
    })
    expect(problems).toHaveLength(1)
    expect(problems[0]).toContain('goals[1].holds ("odd"): ')
    expect(problems[0]).toContain(problem)
  })

  it.each([
    ['list.size() == 1', 'list'],
    ['map.a == 1', 'map'],
    ['type == "x"', 'type'],
    ['1 in list', 'list'],
  ])('says that a variable of %s has a name of CEL', (expression, name) => {
    expect(problemsOf(inCel(expression))).toEqual([
      `goals[0].holds ("odd"): the variable "${name}" cannot be used: ${name} is a word of CEL, so give it another name`,
    ])
  })

  it.each(['items.map(x, x + 1) == [2]', 'int(word) > 1', 'word == "list"', 'shop.list == 1'])(
    'takes the words of CEL as such in %s',
    expression => {
      expect(() => parse(inCel(expression))).not.toThrow()
    },
  )

  it('names the place of what is wrong', () => {
    expect(problemsOf({ environment: { x: { type: 'integer', value: 1 } } })).toEqual([
      'environment.x.type: expected string, int, float, bool, array, object or enum:[A,B]',
    ])
    expect(problemsOf({ roles: [{ name: 'a', model: 'reader', policy: 'clever' }] })[0]).toMatch(
      /^roles\[0\]\.policy: expected default, stable/,
    )
    expect(problemsOf({ roles: [{ name: 'a', model: 'gpt' }] })[0]).toMatch(
      /^roles\[0\]\.model: .*got "gpt"$/,
    )
    expect(problemsOf({ stepLimit: 3 })).toEqual(['the plan: Unrecognized key: "stepLimit"'])
    expect(
      problemsOf({
        environment: { x: { type: 'int', value: 1.5 } },
        goals: [],
        roles: [{ name: 'a', model: 'reader' }],
      }),
    ).toEqual(['environment.x.value: Variable "x": expected an int (a whole number), got 1.5'])
    expect(problemsOf({}, { tools: [] })).toEqual(['roles[0].tools[0]: there is no tool "sell"'])
    expect(() => parseExperiment('{ name: 1')).toThrow('it is no JSON')
  })

  it('makes models of names, or lets the caller do it', () => {
    const named = (model: string) => parse({ roles: [{ name: 'a', model }] }).roles[0]!.model.name
    expect(named('ollama:llama3.2')).toBe('llama3.2')
    expect(named('openai:http://127.0.0.1:1234/v1#qwen3')).toBe('qwen3')
    const asked: string[][] = []
    const own = rules(() => 'x', { name: 'own' })
    const modelOf = (...given: string[]) => {
      asked.push(given)
      return own
    }
    const plan = parse({ roles: [{ name: 'a', model: 'mine' }] }, { tools, modelOf })
    expect(plan.roles[0]!.model).toBe(own)
    expect(asked).toEqual([['mine', 'a']])
  })

  it.each([
    'default',
    'stable',
    'thrifty',
    'balanced',
    'thorough',
    'spongebob',
    'tiered',
    { tiered: 3 },
  ])('knows the policy %s', policy => {
    expect(
      parse({ roles: [{ name: 'a', model: 'reader', policy }] }).roles[0]!.policy,
    ).toBeDefined()
  })
})
