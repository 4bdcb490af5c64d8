/** How the roles act without a language model: each of them by a rule. */
import type { Hook } from 'throughline/experiment'
import type { Model } from 'throughline/models'
import { type RulesRequest, rules } from 'throughline/models'
import type { Stand } from './tools.ts'

interface Move {
  readonly name: string
  readonly arguments: object
}

const week = ['sunny', 'sunny', 'cloudy', 'sunny', 'rainy'] as const
const cupsIn = { sunny: 60, cloudy: 40, rainy: 15 } as const

/** What each role does in a step, by what it sees. */
const moves: Readonly<Record<string, (stand: Stand, step: number) => readonly Move[]>> = {
  weather: (_, step) => [
    { name: 'set_weather', arguments: { weather: week[(step - 1) % week.length] } },
  ],
  customers: ({ weather }) => [{ name: 'set_demand', arguments: { cups: cupsIn[weather] } }],
  owner({ cash, demand, lemons }) {
    const missing = Math.max(0, demand - lemons)
    const isShort = missing * 0.5 > cash
    return [
      ...(isShort ? [{ name: 'take_loan', arguments: { amount: 100 } }] : []),
      ...(missing > 0 ? [{ name: 'purchase_lemons', arguments: { count: missing } }] : []),
      { name: 'sell_lemonade', arguments: { price: 2 } },
    ]
  },
}

/** Models that are rules: `weather`, `customers` and `owner`, as the roles are called. */
export const models: Readonly<Record<string, Model>> = Object.fromEntries(
  Object.entries(moves).map(([role, move]) => [
    role,
    rules(request => ({ calls: move(...readStep(request)) }), { name: `scripted ${role}` }),
  ]),
)

/** Tells the reader which tool to call, just before it is asked: it cannot decide by itself. */
export const advice: Hook<Stand> = {
  on: 'before-model',
  run({ role, round, step, environment }) {
    if (round > 1) return
    const calls = moves[role]!({ ...environment }, step)
    return {
      inject: calls.map(call => `${call.name}(${JSON.stringify(call.arguments)})`).join(' and '),
    }
  },
}

function readStep({ messages }: RulesRequest): [stand: Stand, step: number] {
  const asked = messages.findLast(({ role }) => role === 'user')
  const [, step, stand] =
    /^Step (\d+)\. Current Environment: (.*)$/s.exec(String(asked?.content)) ?? []
  return [JSON.parse(stand!) as Stand, Number(step)]
}
