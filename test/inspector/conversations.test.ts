import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  expectNoAxeViolations,
  narrow,
  openPage,
  type ServedInspector,
  serveInspector,
  shoot,
} from './open-inspector.ts'
import { fillList } from './sample-list.ts'

let served: ServedInspector
beforeAll(async () => {
  served = await serveInspector()
  await fillList(served)
})
afterAll(() => served.stop())

describe('the list', () => {
  it.each(['light', 'dark'] as const)('look in %s', async colorScheme => {
    const { page, faults } = await openPage(served, '/inspector', { colorScheme })
    await page.getByRole('table').waitFor()
    await page.waitForTimeout(1500)
    await shoot(page, `list-${colorScheme}`)
    expect(faults).toEqual([])
    await expectNoAxeViolations(page)
    await page.getByRole('button', { name: /Codex/ }).click()
    await page.waitForTimeout(500)
    await shoot(page, `list-client-${colorScheme}`)
    await expectNoAxeViolations(page)
    await page.keyboard.press('Escape')
    await page.keyboard.press('j')
    await page.keyboard.press('Delete')
    await page.waitForTimeout(500)
    await shoot(page, `list-delete-${colorScheme}`)
    await expectNoAxeViolations(page)
  })
  it('look narrow', async () => {
    const { page, faults } = await openPage(served, '/inspector', { viewport: narrow, deviceScaleFactor: 2 })
    await page.getByRole('table').waitFor()
    await page.waitForTimeout(1500)
    await shoot(page, 'list-narrow')
    await expectNoAxeViolations(page)
    expect(faults).toEqual([])
  })
})
