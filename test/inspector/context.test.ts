import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  expectNoAxeViolations,
  openPage,
  type ServedInspector,
  sample,
  serveInspector,
  shoot,
} from './open-inspector.ts'

let served: ServedInspector
beforeAll(async () => {
  served = await serveInspector()
})
afterAll(() => served.stop())

const address = `/inspector/c/${sample}/context`

describe('the view of the context', () => {
  it.each(['light', 'dark'] as const)(
    'answers in %s what reached the model, and axe finds nothing',
    async colorScheme => {
      const { page, faults } = await openPage(served, `${address}?entry=21`, { colorScheme })
      await page.getByRole('heading', { name: '50 of 523 messages would reach the model' }).waitFor()
      await page.getByRole('img', { name: /2,611 of 4,096 tokens are sent, 793 are free/ }).waitFor()
      await page.getByText('reused to here').waitFor()
      const sent = page.getByRole('tree', { name: 'Messages in the order of the prompt' })
      await sent.getByText('17 messages, asked for by #519').waitFor()
      await sent.getByText('Also, at the end of all this').waitFor()
      await page.getByRole('heading', { name: 'Recalled, word for word #21' }).waitFor()
      await page.getByText('#523 asks for it:').waitFor()
      const matrix = page.getByRole('table', { name: 'The fate of entry 21' })
      await expect.poll(() => matrix.getByRole('img', { name: 'recalled' }).count()).toBeGreaterThan(5)
      await expectNoAxeViolations(page)
      await shoot(page, `context-${colorScheme}`)
      expect(faults).toEqual([])
    },
  )
})
