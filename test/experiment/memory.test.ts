import { expect, it } from 'vitest'
import { defineExperiment } from '../../src/experiment/index.ts'
import { reader } from '../../src/models/reader/reader.ts'
import { openExperiments, rolesOf, textsOf } from './fixture.ts'

/** The checks that the first document asks for, with a model that can only answer from what it is sent. */
it('remembers what was said in the step before', async () => {
  const { experiments, history } = openExperiments()
  const says = ['My locker has the number 4471.', 'What number did I just say?']
  const plan = defineExperiment({
    name: 'hello world',
    environment: { weather: { type: 'enum:[sunny,rainy]', value: 'sunny' } },
    roles: [
      { name: 'listener', model: reader(), system: 'You listen.' },
      { name: 'stranger', model: reader() },
    ],
    hooks: [
      {
        on: 'before-model',
        run: ({ role, step }) => (role === 'listener' ? { inject: says[step - 1]! } : { inject: says[1]! }),
      },
    ],
    maxSteps: 2,
  })
  await experiments.run(plan, { id: 'e' }).result()
  const messages = await experiments.history('e', 'listener')
  const step = ['user', 'user', 'assistant']
  expect(rolesOf(messages)).toEqual([...step, ...step])
  expect(textsOf(messages)[5]).toContain('4471')
  // The prompt of the second step holds the first one.
  const thread = history.thread('e', { actor: 'listener' })
  const [second] = await thread.calls()
  const sent = await thread.replay(second!)
  expect(rolesOf(sent)).toEqual(['system', ...step, 'user', 'user'])
  expect(textsOf(sent).slice(1, 3)).toEqual(['Step 1. Current Environment: {"weather":"sunny"}', says[0]])
  // Nobody told the other role.
  expect(JSON.stringify(await experiments.history('e', 'stranger'))).not.toContain('4471')
})
