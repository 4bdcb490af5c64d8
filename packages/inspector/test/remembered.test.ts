import { createHistory } from '@throughline/history'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { composer } from './chat-page.ts'
import {
  expectNoAxeViolationsInThemes,
  narrow,
  openPage,
  type ServedInspector,
  serveInspector,
  shoot,
  wide,
} from './open-inspector.ts'

const trip = 'Lisbon with Livia'
const question = 'Which hotel did I book in Lisbon, and what is the booking code?'

const past = {
  lisbon: [
    [
      'user',
      'My sister Livia and I want to go to Lisbon for five days in June. Where should we stay?',
    ],
    ['assistant', 'Alfama is the oldest quarter; Graça is calmer and has the better views.'],
    ['user', 'Done: I booked the hotel Casa do Mirante in Lisbon, and the booking code is KX4471.'],
    ['assistant', 'Good choice. Tram 28 stops at its door.'],
  ],
  risotto: [
    ['user', 'How do I make a good risotto for six?'],
    ['assistant', 'Toast the rice first, and add warm stock a ladle at a time.'],
  ],
} as const

let served: ServedInspector
beforeAll(async () => {
  served = await serveInspector({ isEmpty: true, remember: 'person' })
  const history = createHistory({ store: served.store, person: 'ada' })
  for (const [conversation, said] of Object.entries(past)) {
    const time = Date.UTC(2025, 4, 14, 9, 30)
    await history
      .thread(conversation)
      .seedTurns(said.map(([role, content], at) => ({ role, content, time: time + at * 60_000 })))
  }
  await served.ask('PATCH', '/conversations/lisbon', { title: trip })
})
afterAll(() => served.stop())

/** Requests of this page say that Ada speaks. */
const asAda = { extraHTTPHeaders: { 'x-throughline-person': 'ada' } }

const sent = (page: Page) => page.getByRole('tree', { name: 'Messages in the order of the prompt' })
const source = (page: Page) =>
  sent(page).getByRole('treeitem', { name: /^14 May 2025 Lisbon with Livia #3/ })

/** The reader quotes what it was sent: its answer comes from the old conversation. */
async function ask(page: Page) {
  await composer(page).fill(question)
  await composer(page).press('Enter')
  await page.getByText(/KX4471/).waitFor()
}

it('answers a new chat from an old one, and shows what came from where, with a link', async () => {
  const { page, faults } = await openPage(served, '/inspector/c/packing/chat', asAda)
  await ask(page)
  const chip = page.getByRole('button', {
    name: /^Brought back \d messages? of another conversation from 14 May 2025/,
  })
  await chip.click()
  await page.getByRole('link', { name: /^14 May 2025 Lisbon with Livia #3 · asked for/ }).waitFor()
  await shoot(page, 'remembered-chat')
  await page.getByRole('link', { name: 'Context', exact: true }).click()
  await sent(page)
    .getByText(/^\d messages? of another conversation, asked for by #1$/)
    .waitFor()
  await sent(page)
    .getByText(/^user: Done: I booked the hotel Casa do Mirante/)
    .waitFor()
  await source(page).waitFor()
  await expectNoAxeViolationsInThemes(page, 'remembered')
  await page.setViewportSize(narrow)
  await expectNoAxeViolationsInThemes(page, 'remembered-narrow')
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(narrow.width)
  await page.setViewportSize(wide)
  // By keys: the message that asked opens and closes it.
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await source(page).waitFor({ state: 'detached' })
  await page.keyboard.press('Enter')
  await source(page).getByRole('link').click()
  await page.waitForURL('**/c/lisbon/context?entry=3')
  await page.getByRole('heading', { name: '#3' }).waitFor()
  expect(faults).toEqual([])
})

it('says of a conversation that was deleted only that it was there', async () => {
  const { page, faults } = await openPage(served, '/inspector/c/gone/chat', asAda)
  await ask(page)
  await page.getByRole('link', { name: 'Context', exact: true }).click()
  await source(page).waitFor()
  expect((await served.ask('DELETE', '/conversations/lisbon')).status).toBe(204)
  const gone = sent(page).getByRole('treeitem', { name: /^deleted since lisbon #3/ })
  await gone.waitFor()
  expect(await sent(page).getByText(/Livia/).count()).toBe(0)
  expect(await gone.getByRole('link').count()).toBe(0)
  await shoot(page, 'remembered-gone')
  expect(faults).toEqual([])
})

it('says on the first page what messages bring back, and how to have it otherwise', async () => {
  const { page, faults } = await openPage(served, '/inspector/welcome')
  await page
    .getByText('A message also brings back what the same person said in other conversations')
    .waitFor()
  await page.getByText('Keep conversations apart').click()
  await page.getByText('throughline serve --remember conversation').waitFor()
  await expectNoAxeViolationsInThemes(page, 'remembered-welcome')
  await page.setViewportSize(narrow)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(narrow.width)
  await page.getByText('throughline serve').last().scrollIntoViewIfNeeded()
  await shoot(page, 'remembered-welcome-narrow')
  expect(faults).toEqual([])
})
