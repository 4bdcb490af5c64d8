/**
 * Two owners with the same rule and different memories. How much is wanted depends on the weather, and no owner is told; what is not
 * sold spoils overnight. So whoever remembers the last rainy day buys better on the next one.
 */
import { defineExperiment, type ExperimentPlan } from 'throughline/experiment'
import { type RulesRequest, rules } from 'throughline/models'
import { z } from 'zod'

const weathers = ['sunny', 'cloudy', 'rainy'] as const
type Weather = (typeof weathers)[number]

const wantedIn: Readonly<Record<Weather, number>> = { sunny: 60, cloudy: 40, rainy: 10 }
/** What an owner buys who remembers no such day. */
const guess = 30

export interface Town {
  weather: Weather
  wanted: number
  ada: number
  ben: number
}

export interface TownOptions {
  /** Decides the weather of all days. */
  readonly seed?: number
  readonly days?: number
  /** The messages of the past that each owner is sent. */
  readonly memories?: { readonly ada: number; readonly ben: number }
}

export default function twoOwners({
  seed = 1,
  days = 20,
  memories = { ada: 50, ben: 5 },
}: TownOptions = {}): ExperimentPlan {
  return defineExperiment({
    name: 'two-owners',
    environment: {
      weather: { type: 'enum:[sunny,cloudy,rainy]', value: 'sunny' },
      wanted: { type: 'int', value: 0 },
      ada: { type: 'float', value: 0 },
      ben: { type: 'float', value: 0 },
    },
    tools: ({ tool }) => [
      tool({
        name: 'set_weather',
        description: 'Decides what the weather is today.',
        input: z.object({ weather: z.enum(weathers) }),
        run({ weather }, { environment }) {
          environment.weather = weather
          environment.wanted = wantedIn[weather]
        },
      }),
      tool({
        name: 'open_stand',
        description:
          'Buys lemons at 0.5 each and sells a cup of each for 2. Those that are left spoil.',
        input: z.object({ lemons: z.int().min(0).max(200) }),
        run({ lemons }, { environment, role }) {
          const sold = Math.min(lemons, environment.wanted)
          environment[role as 'ada' | 'ben'] += 2 * sold - 0.5 * lemons
          return { wanted: environment.wanted, sold, spoilt: lemons - sold }
        },
      }),
    ],
    roles: [
      {
        name: 'weather',
        model: rules(request => callTo('set_weather', { weather: weatherOf(seed, request) }), {
          name: 'weather by chance',
        }),
        tools: ['set_weather'],
        variables: [],
      },
      ...(['ada', 'ben'] as const).map(name => ({
        name,
        model: rules(request => callTo('open_stand', { lemons: lemonsFor(request) }), {
          name: 'an owner by rule',
        }),
        system: 'You run a lemonade stand. Buy what was wanted on the last day with such weather.',
        tools: ['open_stand'],
        // Nobody tells an owner how much is wanted.
        variables: ['weather'] as const,
        cap: memories[name],
      })),
    ],
    goals: [],
    maxSteps: days,
  })
}

const callTo = (name: string, input: object) => ({ calls: [{ name, arguments: input }] })

const stepIn = (text: unknown) =>
  /^Step (\d+)\. Current Environment: (.*)$/s.exec(typeof text === 'string' ? text : '')

function weatherOf(seed: number, { messages }: RulesRequest): Weather {
  const step = Number(stepIn(messages.findLast(({ role }) => role === 'user')?.content)?.[1])
  // A plain generator: the same seed gives the same weather on every machine.
  const chance = (Math.imul(seed * 7919 + step * 104_729, 2_654_435_761) >>> 16) % weathers.length
  return weathers[chance]!
}

/** What was wanted on the last day with the weather of today, among those that the owner still sees. */
function lemonsFor({ messages }: RulesRequest): number {
  const wanted = new Map<Weather, number>()
  let today: Weather | undefined
  for (const { role, content } of messages) {
    const step = role === 'user' ? stepIn(content) : null
    if (step) today = (JSON.parse(step[2]!) as Town).weather
    else if (role === 'tool' && today && typeof content === 'string')
      wanted.set(today, (JSON.parse(content) as Town).wanted)
  }
  return (today && wanted.get(today)) ?? guess
}
