import { createHistory, memoryStore } from 'throughline'
import { createExperiments, defineExperiment } from 'throughline/experiment'
import { reader } from 'throughline/models'

const plan = defineExperiment({
  name: 'waiting',
  environment: { done: { type: 'bool', value: true } },
  roles: [{ name: 'one', model: reader() }],
  goals: [{ description: 'waited', holds: ({ done }) => done }],
})
const experiments = createExperiments({ history: createHistory({ store: memoryStore() }) })
const { status, result } = await experiments.run(plan).result()
console.log(status, result)
// prints: COMPLETED waited
