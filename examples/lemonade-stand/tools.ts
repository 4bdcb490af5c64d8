/** What can be done at the stand: for `plan.ts`, and for `plan.json`, which names this module. */
import type { ExperimentTools } from 'throughline/experiment'
import { z } from 'zod'

export { models } from './moves.ts'

export interface Stand {
  weather: 'sunny' | 'cloudy' | 'rainy'
  /** Cups that are wanted today at a price of 2. */
  demand: number
  cash: number
  loan: number
  lemons: number
}

const lemonPrice = 0.5
const mostLoan = 300
const whole = z.int().min(0)

const tools: ExperimentTools<Stand> = ({ tool }) => [
  tool({
    name: 'set_weather',
    description: 'Decides what the weather is today.',
    input: z.object({ weather: z.enum(['sunny', 'cloudy', 'rainy']) }),
    run: ({ weather }, { environment }) => {
      environment.weather = weather
    },
  }),
  tool({
    name: 'set_demand',
    description: 'Decides how many cups are wanted today at a price of 2.',
    input: z.object({ cups: whole.max(200) }),
    run: ({ cups }, { environment }) => {
      environment.demand = cups
    },
  }),
  tool({
    name: 'take_loan',
    description: `Borrows money. The bank lends ${mostLoan} in all.`,
    input: z.object({ amount: z.number().positive() }),
    endsTurn: false,
    run({ amount }, { environment: stand }) {
      if (stand.loan + amount > mostLoan)
        throw new Error(`the bank lends ${mostLoan - stand.loan} more`)
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
    description:
      'Opens the stand at a price a cup and ends the day. The dearer, the fewer cups; at 4 nobody comes.',
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

export default tools
