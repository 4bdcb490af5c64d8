/** A lemonade stand: the weather, the customers and the owner, who wants to be worth 1000. */
import { defineExperiment, type ExperimentPlan } from 'throughline/experiment'
import type { Model } from 'throughline/models'
import { advice, models } from './moves.ts'
import tools from './tools.ts'

/** Without a model, rules act. `throughline experiment run plan.ts --model ollama:llama3.2` gives one. */
export default function lemonadeStand({ model }: { readonly model?: Model } = {}): ExperimentPlan {
  return defineExperiment({
    name: 'lemonade-stand',
    environment: {
      weather: { type: 'enum:[sunny,cloudy,rainy]', value: 'sunny' },
      demand: { type: 'int', value: 0 },
      cash: { type: 'float', value: 20 },
      loan: { type: 'float', value: 0 },
      lemons: { type: 'int', value: 0 },
    },
    tools,
    roles: [
      {
        name: 'weather',
        model: model ?? models.weather!,
        system:
          'You are the weather. Decide what it is today by calling set_weather. It changes often.',
        tools: ['set_weather'],
        variables: ['weather'],
      },
      {
        name: 'customers',
        model: model ?? models.customers!,
        system:
          'You are all the customers of a lemonade stand. Decide how many cups you want today, from 0 to 60, by calling set_demand. When it is sunny you are thirsty.',
        tools: ['set_demand'],
        variables: ['weather'],
      },
      {
        name: 'owner',
        model: model ?? models.owner!,
        system:
          'You run a lemonade stand and want cash minus loan to reach 1000. Buy about as many lemons as there is demand, with a loan if you must, then call sell_lemonade, which ends the day. A cup is best sold for 2.',
        tools: ['take_loan', 'purchase_lemons', 'sell_lemonade'],
        // Only the part of the past that shows how the business goes; the rest is in the environment.
        cap: 50,
      },
    ],
    goals: [
      { description: 'Net worth has reached 1000', holds: ({ cash, loan }) => cash - loan >= 1000 },
      {
        description: 'The cash is gone and the loan is 200 or more',
        holds: ({ cash, loan }) => cash <= 0 && loan >= 200,
        outcome: 'failed',
      },
    ],
    hooks: model?.name === 'reader' ? [advice] : [],
    maxSteps: 30,
  })
}
