import { buffer } from 'node:stream/consumers'
import { sliding } from '@throughline/core'
import { toLines } from '@throughline/test-tools/sample-lines'
import type { Download, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  expectNoAxeViolationsInThemes,
  narrow,
  openPage,
  type ServedInspector,
  serveInspector,
  shoot,
} from './open-inspector.ts'

let served: ServedInspector
beforeAll(async () => {
  served = await serveInspector({ isEmpty: true, policy: sliding({ messages: 40 }) })
  const say = (role: string, content: string) => ({ role, content })
  const chat = [
    say('user', 'We plan the summer fair of the village.'),
    say('assistant', 'Gladly.'),
    say('user', 'The tent is <b>rented</b> from Marchetti & Sons & costs 340 francs, cash only.'),
    say('assistant', 'Noted.'),
    ...Array.from({ length: 60 }, (_, n) => [
      say('user', `Point ${n}: ${'lanterns, benches and a long table. '.repeat(4)}`),
      say('assistant', `Point ${n} is written down.`),
    ]).flat(),
    say('user', 'From whom did we get the tent, and for how much?'),
    say('assistant', 'You have not told me anything about one.'),
  ]
  const lines = toLines(chat, { conversation: 'fair', title: 'Summer fair' })
  expect((await served.ask('POST', '/import', lines)).ok).toBe(true)
})
afterAll(() => served.stop())

const address = '/inspector/c/fair/context'
const card = (page: Page) => page.getByRole('dialog', { name: 'Why it forgot' })

/** What a browser that runs elsewhere has saved. */
const contentOf = async (file: Download) => buffer(await file.createReadStream())

it('draws why an answer forgot, and pins the message that it needed', async () => {
  const { page, faults } = await openPage(served, address, { colorScheme: 'light' })
  await page.getByRole('button', { name: 'Why it forgot' }).click()
  await card(page)
    .getByRole('heading', { name: /^It was told\. It was cut at turn \d+\.$/ })
    .waitFor()
  await card(page)
    .getByText('With the policy balanced it would have been sent. Or pin it: it costs')
    .waitFor()
  const picture = card(page).getByRole('img', { name: /#3, turn 2: The tent is <b>rented/ })
  await expect.poll(() => picture.evaluate((one: HTMLImageElement) => one.naturalWidth)).toBe(1100)
  await expectNoAxeViolationsInThemes(page, 'why-card')
  await card(page).getByLabel('Hide the words').check()
  await card(page)
    .getByRole('img', { name: /its words are hidden/ })
    .waitFor()
  await page.keyboard.press('Escape')
  await card(page).waitFor({ state: 'detached' })
  await page.keyboard.press('w')
  await card(page).getByRole('button', { name: 'Pin #3' }).click()
  await page.waitForURL(/b=4096\.sliding\S*hands-now/)
  // The pin is real: the server has it, and the message stands in what would be sent now.
  const hands = await (await served.ask('GET', '/conversations/fair/hands')).json()
  expect(hands.pinned).toEqual([{ first: 3, last: 3 }])
  expect(faults).toEqual([])
})

it('copies the picture, or saves it where the browser refuses', async () => {
  const { page, faults } = await openPage(served, `${address}?card=3`)
  const copy = card(page).getByRole('button', { name: 'Copy as image' })
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await copy.click()
  await page.getByText('The picture is on the clipboard.').waitFor()
  const size = await page.evaluate(async () => {
    const [item] = await navigator.clipboard.read()
    const image = await createImageBitmap(await item!.getType('image/png'))
    return [image.width, image.height]
  })
  expect(size).toEqual([2400, 1260])
  await page.evaluate(() => {
    Object.defineProperty(navigator, 'clipboard', { value: undefined })
  })
  const saved = page.waitForEvent('download')
  await copy.click()
  const png = await saved
  expect(png.suggestedFilename()).toBe('fair 3.png')
  expect((await contentOf(png)).subarray(1, 4).toString()).toBe('PNG')
  await page.getByText('It is saved as a file instead').waitFor()
  const drawn = page.waitForEvent('download')
  await card(page).getByRole('button', { name: 'Other forms of the picture' }).click()
  await page.getByRole('menuitem', { name: 'Save as SVG' }).click()
  const svg = (await contentOf(await drawn)).toString()
  // The browser's own reader of XML finds no fault in it, and the words are words.
  const words = await page.evaluate(text => {
    const read = new DOMParser().parseFromString(text, 'image/svg+xml')
    return read.querySelector('parsererror') ? '' : read.documentElement.textContent
  }, svg)
  expect(words).toContain('<b>rented</b>')
  expect(faults).toEqual([])
})

it('stands on a phone, and says where there is nothing to draw', async () => {
  const { page, faults } = await openPage(served, `${address}?card=3`, { viewport: narrow })
  const picture = card(page).getByRole('img', { name: /It was told/ })
  await expect.poll(() => picture.evaluate((one: HTMLImageElement) => one.naturalWidth)).toBe(350)
  const small = await card(page)
    .getByRole('button')
    .evaluateAll(all => all.filter(one => one.getBoundingClientRect().height < 44).length)
  expect(small).toBe(0)
  await shoot(page, 'why-card-390')
  await page.emulateMedia({ colorScheme: 'dark' })
  await shoot(page, 'why-card-390-dark')
  await page.goto(`${served.url}${address}?card=124`)
  await card(page).getByText('There is nothing to draw').waitFor()
  expect(faults).toEqual([])
})
