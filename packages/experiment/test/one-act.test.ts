import { startWithExperiments } from '@throughline/test-tools/experiment-plug'
import { memoryStore } from 'throughline/stores'
import { expect, it } from 'vitest'

it('goes on for one act at a time, and pauses again', async () => {
  const { api } = await startWithExperiments({ store: memoryStore() })
  const { id } = (await api.post('/samples/experiment')).body
  const path = `/experiments/${id}`
  await api.post(`${path}/pause`)
  const statusOf = async () => (await api.get(path)).body.status
  await expect.poll(statusOf).toBe('PAUSED')
  const actors = async () => {
    const { steps } = (await api.get(`${path}/steps?from=1`)).body
    return steps.flatMap(({ acts }: { acts: { role: string; status: string }[] }) =>
      acts.map(({ role }) => role),
    )
  }
  const before = await actors()
  for (const more of [1, 2, 3]) {
    expect((await api.post(`${path}/resume`, { acts: 1 })).status).toBe(200)
    await expect.poll(statusOf).toBe('PAUSED')
    expect(await actors()).toHaveLength(before.length + more)
  }
  // Each role in its turn.
  expect(new Set((await actors()).slice(-3))).toEqual(new Set(['weather', 'customers', 'owner']))
  expect((await api.post(`${path}/resume`, { acts: 0 })).status).toBe(400)
})
