import { z } from 'zod'
import type { ExperimentTools, PlanJson } from '../../experiment/index.ts'
import type { Model } from '../../models/model.ts'
import { type RulesRequest, rules } from '../../models/rules.ts'

/** The values of the stand. */
type Stand = {
  weather: keyof typeof cupsIn
  demand: number
  cash: number
  loan: number
  lemons: number
}

/** What a plan calls the code of this file: the only code that a posted plan can name. */
export const standModule = 'throughline:lemonade-stand'

/** A sample experiment: the weather, the customers, and an owner who wants to be worth 1000. Rules act, no model is asked. */
export const standPlan: PlanJson = {
  name: 'lemonade-stand',
  environment: {
    weather: { type: 'enum:[sunny,cloudy,rainy]', value: 'sunny' },
    demand: { type: 'int', value: 0 },
    cash: { type: 'float', value: 20 },
    loan: { type: 'float', value: 0 },
    lemons: { type: 'int', value: 0 },
  },
  tools: standModule,
  roles: [
    {
      ...{ name: 'weather', model: 'weather', tools: ['set_weather'], variables: ['weather'] },
      system: 'You are the weather. Decide what it is today by calling set_weather. It changes often.',
    },
    {
      ...{ name: 'customers', model: 'customers', tools: ['set_demand'], variables: ['weather'] },
      system:
        'You are all the customers of a lemonade stand. Say how many cups you want by calling set_demand.',
    },
    {
      ...{ name: 'owner', model: 'owner', tools: ['take_loan', 'purchase_lemons', 'sell_lemonade'], cap: 50 },
      system:
        'You run a lemonade stand and want cash minus loan to reach 1000. Buy as many lemons as there is demand, with a loan if you must, then call sell_lemonade, which ends the day.',
    },
  ],
  goals: [
    { description: 'Net worth has reached 1000', holds: 'cash - loan >= 1000.0' },
    {
      description: 'The cash is gone and the loan is 200 or more',
      ...{ holds: 'cash <= 0.0 && loan >= 200.0', outcome: 'failed' },
    },
  ],
  maxSteps: 30,
}

const week = ['sunny', 'sunny', 'cloudy', 'sunny', 'rainy'] as const
const cupsIn = { sunny: 60, cloudy: 40, rainy: 15 } as const
const lemonPrice = 0.5
const mostLoan = 300
const whole = z.int().min(0)

const tools: ExperimentTools<Stand> = ({ tool }) => [
  tool({
    name: 'set_weather',
    description: 'Decides what the weather is today.',
    input: z.object({ weather: z.enum(['sunny', 'cloudy', 'rainy']) }),
    run({ weather }, { environment }) {
      environment.weather = weather
    },
  }),
  tool({
    name: 'set_demand',
    description: 'Decides how many cups are wanted today at a price of 2.',
    input: z.object({ cups: whole.max(200) }),
    run({ cups }, { environment }) {
      environment.demand = cups
    },
  }),
  tool({
    name: 'take_loan',
    description: `Borrows money, ${mostLoan} in all.`,
    input: z.object({ amount: z.number().positive() }),
    endsTurn: false,
    run({ amount }, { environment: stand }) {
      if (stand.loan + amount > mostLoan) throw new Error(`the bank lends ${mostLoan - stand.loan} more`)
      stand.loan += amount
      stand.cash += amount
      return { cash: stand.cash, loan: stand.loan }
    },
  }),
  tool({
    name: 'purchase_lemons',
    description: `Buys lemons, ${lemonPrice} each. One lemon makes one cup.`,
    input: z.object({ count: whole }),
    endsTurn: false,
    run({ count }, { environment: stand }) {
      const cost = count * lemonPrice
      if (cost > stand.cash) throw new Error(`${count} lemons cost ${cost}, there is ${stand.cash}`)
      stand.cash -= cost
      stand.lemons += count
      return { cash: stand.cash, lemons: stand.lemons }
    },
  }),
  tool({
    name: 'sell_lemonade',
    description: 'Opens the stand at a price a cup and ends the day. The dearer, the fewer cups.',
    input: z.object({ price: z.number().min(0) }),
    run({ price }, { environment: stand }) {
      const wanted = Math.floor(stand.demand * Math.max(0, 2 - price / 2))
      const cups = Math.min(wanted, stand.lemons)
      stand.lemons -= cups
      stand.cash += cups * price
      return { sold: cups, wanted, cash: stand.cash }
    },
  }),
]

export const standTools = tools as ExperimentTools<Record<string, unknown>>

interface Move {
  readonly name: string
  readonly arguments: object
}

/** What each role does in a step, by what it sees. */
const moves: Readonly<Record<string, (stand: Stand, step: number) => readonly Move[]>> = {
  weather: (_, step) => [{ name: 'set_weather', arguments: { weather: week[(step - 1) % week.length] } }],
  customers: ({ weather }) => [{ name: 'set_demand', arguments: { cups: cupsIn[weather] } }],
  owner({ cash, demand, lemons }) {
    const missing = Math.max(0, demand - lemons)
    const isShort = missing * lemonPrice > cash
    return [
      ...(isShort ? [{ name: 'take_loan', arguments: { amount: 100 } }] : []),
      ...(missing > 0 ? [{ name: 'purchase_lemons', arguments: { count: missing } }] : []),
      { name: 'sell_lemonade', arguments: { price: 2 } },
    ]
  },
}

/** The model of a role: a rule. Undefined for a name that the stand does not have. */
export function standModel(role: string): Model | undefined {
  const move = Object.hasOwn(moves, role) ? moves[role] : undefined
  return (
    move &&
    rules(request => ({ calls: move(...readStep(request)) }), { name: `rules of ${role}`, window: 4096 })
  )
}

function readStep({ messages }: RulesRequest): [stand: Stand, step: number] {
  const asked = messages.findLast(({ role }) => role === 'user')
  const [, step, stand] = /^Step (\d+)\. Current Environment: (.*)$/s.exec(String(asked?.content)) ?? []
  return [JSON.parse(stand ?? '{}') as Stand, Number(step ?? 1)]
}
