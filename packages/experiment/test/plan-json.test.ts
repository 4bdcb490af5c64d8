import { rules } from '@throughline/models'
import { expect, it } from 'vitest'
import { z } from 'zod'
import {
  defineExperimentTool,
  type ExperimentTool,
  modelFor,
  parseExperiment,
} from '../src/index.ts'
import { call, openExperiments, textsOf } from './fixture.ts'

interface Stand {
  cash: number
}

const input = z.object({ sum: z.number() })
const earn: ExperimentTool = defineExperimentTool<Stand, typeof input>({
  name: 'earn',
  description: 'Earns some money.',
  input,
  run({ sum }, { environment }) {
    environment.cash += sum
    return environment.cash
  },
})

const json = {
  name: 'earning',
  environment: {
    cash: { type: 'float', value: 0 },
  },
  roles: [
    { name: 'worker', model: 'my earner', system: 'You work.' },
    { name: 'watcher', model: 'reader', tools: [], variables: ['cash'], cap: 6 },
  ],
  goals: [
    { description: 'broke', holds: 'cash < 0.0', outcome: 'failed' },
    { description: 'ten earned', holds: 'cash >= 10' },
  ],
  maxSteps: 20,
}

const modelOf = (name: string) =>
  name === 'my earner' ? rules(() => call('earn', { sum: 2.5 })) : modelFor(name)
const options = { tools: [earn], modelOf }

it('runs a plan that was stored as JSON, and resumes it from the log alone', async () => {
  const { experiments } = openExperiments()
  const plan = parseExperiment(JSON.stringify(json), options)
  const run = experiments.run(plan, { id: 'e' })
  for await (const event of run) if (event.type === 'step-ended' && event.step === 2) break
  const { plan: stored, environment } = await experiments.show('e')
  expect([stored, environment.cash]).toEqual([json, 5])
  const again = parseExperiment(stored, options)
  expect(await experiments.resume(again, 'e').result()).toMatchObject({
    status: 'COMPLETED',
    result: 'ten earned',
    steps: 4,
  })
  expect(textsOf(await experiments.history('e', 'watcher'))[6]).toBe(
    'Step 4. Current Environment: {"cash":10}',
  )
  expect((await experiments.show('e')).goals).toEqual([
    { description: 'broke', outcome: 'failed', isMet: false },
    { description: 'ten earned', outcome: 'completed', isMet: true },
  ])
})
