import { createExperiments, defineExperiment } from 'throughline/experiment'
import { createHistory } from 'throughline/history'
import { reader } from 'throughline/models'
import { memoryStore } from 'throughline/stores'

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
