import { isLong } from '@throughline/test-tools/is-long'
import { toLines } from '@throughline/test-tools/sample-lines'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { countFrames } from './count-frames.ts'
import { openPage, type ServedInspector, serveInspector, shoot } from './open-inspector.ts'

const amount = isLong ? 10_000 : 2_000
const many = amount.toLocaleString('en')

let served: ServedInspector
beforeAll(async () => {
  served = await serveInspector({ isEmpty: true })
  const messages = Array.from({ length: amount }, (_, at) => ({
    role: at % 2 === 0 ? 'user' : 'assistant',
    content: `Message ${at + 1}. ${'It has some more words. '.repeat((at * 7) % 23)}`,
  }))
  const response = await served.ask(
    'POST',
    '/import',
    toLines(messages, { conversation: 'long', title: 'Long' }),
  )
  expect(response.status).toBe(200)
})
afterAll(() => served.stop())

/** What became of it is part of its name, and may come later. */
const message = (page: Page, seq: number) =>
  page.getByRole('article', { name: new RegExp(`message ${seq}(,|$)`) })

const region = (page: Page) => page.getByRole('region', { name: 'Messages' })

/** The message at the middle of the screen, and where its upper edge is. */
const middle = (page: Page) =>
  region(page).evaluate(scroller => {
    const { top, height } = scroller.getBoundingClientRect()
    for (const row of scroller.querySelectorAll('article')) {
      const box = row.getBoundingClientRect()
      if (box.bottom > top + height / 2)
        return { seq: Number(/\d+/.exec(row.ariaLabel ?? '')?.[0]), top: box.top }
    }
    return { seq: 0, top: 0 }
  })

it(`opens ${many} messages at their end, with few in the page and few read`, async () => {
  const { page, faults } = await openPage(served, '/inspector/c/long/chat')
  const asked: string[] = []
  page.on('request', request => {
    if (request.url().includes('/entries?')) asked.push(request.url())
  })
  await message(page, amount).waitFor()
  expect(await page.getByRole('article').count()).toBeLessThan(60)
  expect(asked.length).toBeLessThan(4)

  // Upwards, a screen at a time: what is in sight stays there while what is above is measured and read.
  await page.getByRole('link', { name: 'What the model got, and why' }).waitFor()
  await region(page).hover()
  for (let step = 0; step < 12; step++) {
    const before = await middle(page)
    await page.mouse.wheel(0, -300)
    const moved = async () => ((await message(page, before.seq).boundingBox())?.y ?? 0) - before.top
    await expect.poll(async () => Math.round(await moved())).toBe(300)
  }
  expect(await page.getByRole('article').count()).toBeLessThan(60)
  await shoot(page, 'chat-long')
  expect(faults).toEqual([])
})

it('opens at any message, goes to any other by the strip, and back to the newest', async () => {
  const { page, faults } = await openPage(served, '/inspector/c/long/chat?entry=1711')
  const wanted = message(page, 1711).and(page.locator('[data-selected=true]'))
  await wanted.waitFor()
  await expect
    .poll(async () => {
      const box = await wanted.boundingBox()
      return box !== null && box.y > 60 && box.y + box.height < 780
    })
    .toBe(true)
  await page.locator('body').press('j')
  await page.waitForURL(/entry=1712/)
  await message(page, 1712).waitFor()

  const strip = page.getByRole('slider', { name: 'Place in the conversation' })
  const box = (await strip.boundingBox())!
  await page.mouse.click(box.x + 10, box.y + box.height / 10)
  await page
    .getByRole('article', { name: new RegExp(`message ${amount / 1000}\\d\\d(?!\\d)`) })
    .first()
    .waitFor()
  await strip.press('Home')
  await message(page, 1).waitFor()
  await page.getByRole('button', { name: 'Newest' }).click()
  await message(page, amount).waitFor()
  expect(await page.getByRole('article').count()).toBeLessThan(60)
  expect(faults).toEqual([])
})

it(`scrolls through ${many} messages, in the chat and in the log beside the context`, async () => {
  const times = isLong ? 120 : 12
  const wheel = async (page: Page) => {
    for (let step = 0; step < times; step++)
      await page.mouse.wheel(0, step < times / 2 ? -400 : 400)
  }
  const { page, faults } = await openPage(served, '/inspector/c/long/chat')
  await message(page, amount).waitFor()
  await region(page).hover()
  const chat = await countFrames(page, () => wheel(page))
  expect(await page.getByRole('article').count()).toBeLessThan(60)

  await page.goto(new URL('/inspector/c/long/context?fate=omitted', served.url).href)
  const log = page.getByRole('tree', { name: 'Entries of the log' })
  const rows = log.getByRole('treeitem')
  await rows.first().waitFor()
  const height = await log.evaluate(tree => tree.scrollHeight)
  expect(height).toBeGreaterThan(0.9 * amount * 20)
  await log.hover()
  const context = await countFrames(page, () => wheel(page))
  expect(await rows.count()).toBeLessThan(100)
  // Far away, what is in sight has its text.
  await log.evaluate(tree => tree.scrollTo({ top: tree.scrollHeight / 2 }))
  await log
    .getByText(isLong ? /^Message 4\d\d\d\./ : /^Message 9\d\d\./)
    .first()
    .waitFor()
  for (const [name, { perSecond, longest }] of Object.entries({ chat, context }))
    console.log(
      `${name}, ${many} messages: ${perSecond} frames per second, the longest ${longest} ms`,
    )
  expect(faults).toEqual([])
})
