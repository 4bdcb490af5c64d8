import { reader } from '@throughline/models/reader'
import { isLong } from '@throughline/test-tools/is-long'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { defineExperiment } from '../src/index.ts'
import { openExperiments } from './fixture.ts'

const [experimentsCount, steps] = isLong ? [100, 20] : [8, 4]

it('runs many experiments of three roles side by side, each with a memory of its own', async () => {
  const { experiments, history } = openExperiments()
  const plan = (number: number) =>
    defineExperiment({
      name: `experiment ${number}`,
      environment: {
        number: { type: 'int', value: number },
        count: { type: 'int', value: 0 },
        task: { type: 'string', value: 'call add with {}' },
      },
      tools: ({ tool }) => [
        tool({
          name: 'add',
          input: z.object({}),
          run: (_, { environment }) => ++environment.count,
        }),
      ],
      roles: [
        { name: 'adder', model: reader(), system: 'You add.' },
        { name: 'watcher', model: reader(), tools: [], cap: 10 },
        { name: 'sleeper', model: reader(), tools: [], variables: ['number'] },
      ],
      maxSteps: steps,
    })
  const began = performance.now()
  const results = await Promise.all(
    Array.from({ length: experimentsCount }, (_, n) =>
      experiments.run(plan(n), { id: `e${n}` }).result(),
    ),
  )
  const turns = experimentsCount * 3 * steps
  console.log(`${turns} turns in ${Math.round(performance.now() - began)} ms`)
  for (const [n, { status, result, environment }] of results.entries())
    expect([n, status, result, environment.number]).toEqual([n, 'FAILED', 'Max Steps Exceeded', n])
  for (const n of [0, 7, experimentsCount - 1]) {
    const messages = await experiments.history(`e${n}`, 'sleeper')
    const asked = messages.filter(({ role }) => role === 'user').map(({ content }) => content)
    expect(asked).toEqual(
      Array.from(
        { length: steps },
        (_, at) => `Step ${at + 1}. Current Environment: {"number":${n}}`,
      ),
    )
  }
  expect(await experiments.list()).toHaveLength(experimentsCount)
  expect(results.every(({ environment }) => environment.count === steps)).toBe(true)
  expect(await history.check()).toEqual([])
})
