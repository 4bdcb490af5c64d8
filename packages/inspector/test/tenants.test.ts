import { createHistory } from '@throughline/history'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openPage, type ServedInspector, serveInspector } from './open-inspector.ts'

let served: ServedInspector
beforeAll(async () => {
  served = await serveInspector({ isEmpty: true })
  const thread = createHistory({ store: served.store, tenant: 'café' }).thread('harbour')
  await thread.seed({ role: 'user', content: 'Keep berth 12 for the Heron.' })
})
afterAll(() => served.stop())

it('offers the tenants that have conversations, and shows those of the one that is chosen', async () => {
  const { page, faults } = await openPage(served)
  await page.getByLabel('Tenant').selectOption('café')
  await page.getByText('harbour').first().waitFor()
  await page.goto(`${served.url}/inspector/settings`)
  expect(await page.getByLabel('Tenant').inputValue()).toBe('café')
  await page.getByLabel('Tenant').selectOption('default')
  await page.goto(`${served.url}/inspector`)
  await page.getByText('There is nothing here yet.').waitFor()
  expect(faults).toEqual([])
})
