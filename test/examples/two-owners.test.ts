import { createExperiments } from 'throughline/experiment'
import { createHistory } from 'throughline/history'
import { memoryStore } from 'throughline/stores'
import { expect, it } from 'vitest'
import twoOwners, { type Town, type TownOptions } from '../../examples/lemonade-stand/two-owners.ts'

async function earned(options: TownOptions) {
  const history = createHistory({ store: memoryStore() })
  const run = createExperiments({ history }).run(twoOwners(options), { id: 'town' })
  let town: Town | undefined
  for await (const event of run)
    if (event.type === 'step-ended') town = event.environment as unknown as Town
  await history.close()
  return town!
}

it('lets the owner who remembers earn more, whatever the weather', async () => {
  const towns = await Promise.all([1, 2, 3].map(seed => earned({ seed, days: 12 })))
  for (const { ada, ben } of towns) expect(ada).toBeGreaterThan(ben)
})

it('makes no difference between owners who remember the same', async () => {
  const { ada, ben } = await earned({ seed: 2, days: 8, memories: { ada: 50, ben: 50 } })
  expect(ada).toBe(ben)
})
