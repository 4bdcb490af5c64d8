import { toLines } from '@throughline/test-tools/sample-lines'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openPage, type ServedInspector, serveInspector, shoot } from './open-inspector.ts'

let served: ServedInspector
beforeAll(async () => {
  served = await serveInspector({ isEmpty: true })
})
afterAll(() => served.stop())

/** One red dot. */
const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='

it('shows the pictures of a message, and loads none from elsewhere', async () => {
  const url = (url: string) => ({ type: 'image_url', image_url: { url } })
  const content = [
    { type: 'text', text: 'What is this?' },
    url(`data:image/png;base64,${png}`),
    url('https://example.com/boat.png'),
    url('data:image/png;base64,PHN2Zz48L3N2Zz4='),
  ]
  const chat = [
    { role: 'user', content },
    { role: 'assistant', content: 'A dot.' },
    { role: 'user', content: 'And this?', images: [png] },
    { role: 'assistant', content: 'The same.' },
  ]
  const lines = toLines(chat, { conversation: 'dots', title: 'Dots' })
  expect((await served.ask('POST', '/import', lines)).ok).toBe(true)
  const { page, faults } = await openPage(served, '/inspector/c/dots/chat')
  for (const name of ['1 of message 1', '1 of message 3']) {
    const picture = page.getByRole('img', { name })
    await picture.waitFor()
    await expect.poll(() => picture.evaluate((one: HTMLImageElement) => one.naturalWidth)).toBe(1)
  }
  await page.getByText('2 more files').waitFor()
  await shoot(page, 'pictures')
  // A request to another address would be a fault.
  expect(faults).toEqual([])
})
