import { z } from 'zod'
import { defineExperiment } from '../../dist/experiment/index.js'
import { reader } from '../../dist/models/index.js'

export const steps = 20
export const roles = ['weather', 'customers', 'owner']

/** Every role counts one further in every step: the reader calls what the environment tells it to. */
export const countingPlan = () =>
  defineExperiment({
    name: 'counting',
    environment: {
      count: { type: 'int', value: 0 },
      task: { type: 'string', value: 'add({"by":1})' },
    },
    tools: ({ tool }) => [
      tool({
        name: 'add',
        description: 'Counts further.',
        input: z.object({ by: z.int() }),
        run({ by }, { environment }) {
          environment.count += by
          return environment.count
        },
      }),
    ],
    roles: roles.map(name => ({
      name,
      model: reader(),
      system: `You are the ${name} of a lemonade stand.`,
    })),
    goals: [
      { description: 'all have counted', holds: ({ count }) => count >= roles.length * steps },
    ],
    maxSteps: steps,
  })
