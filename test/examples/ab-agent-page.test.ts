import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isLong } from '@throughline/test-tools/is-long'
import {
  expectNoAxeInLong,
  expectNoAxeViolations,
  narrow,
  openBrowser,
  openPage,
  shoot,
} from '@throughline/test-tools/open-page'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startExample } from './start-example.ts'

const folder = mkdtempSync(join(tmpdir(), 'throughline-ab-agent-page-'))
let url: string
beforeAll(async () => {
  const example = startExample('ab-agent', ['--port', '0', '--db', join(folder, 'log.db')])
  await openBrowser()
  url = await example
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** How many answers are complete, and what the last one says. */
const answers = (page: Page) => page.getByRole('article', { name: 'The agent' })
const isReady = (page: Page) => page.getByRole('button', { name: 'Send' }).waitFor()

async function say(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(text)
  await page.keyboard.press('Enter')
}

/** The number of the instance that gave each answer. */
async function instancesOf(page: Page): Promise<readonly string[]> {
  const footers = await page.locator('article footer').allTextContents()
  return footers.map(text => /instance (\d)/.exec(text)?.[1] ?? '')
}

const keepers = [
  ['the database', 'dark'],
  ['this browser', 'light'],
] as const

if (!isLong) console.info('Skipped: a conversation that the browser keeps, only in the long run')

describe.each(isLong ? keepers : keepers.slice(0, 1))(
  'a conversation that is kept by %s, %s',
  (keeper, colorScheme) => {
    it('is planned, previewed, confirmed and created, on both instances, and is there after a reload', async () => {
      const { page, faults } = await openPage({ url }, '/', { colorScheme })
      await page.getByRole('radio', { name: keeper }).check()
      await page.getByRole('heading', { name: 'Plan an A/B test' }).waitFor()
      await expectNoAxeInLong(page)
      await shoot(page, `ab-start-${colorScheme}`)

      await page
        .getByRole('button', { name: 'Plan a test for https://shop.example/checkout' })
        .click()
      await page.getByText('Shall I create it?').waitFor()
      await isReady(page)
      expect(await page.locator('figure li').allTextContents()).toEqual([
        expect.stringContaining('As it is: “Submit”34 %'),
        expect.stringContaining('Variant A: “Place my order”33 %'),
        expect.stringContaining('Variant B: “Pay 24.90 now”33 %'),
      ])
      await shoot(page, `ab-preview-${colorScheme}`)
      await expectNoAxeViolations(page)

      await page.getByRole('button', { name: 'Yes, create the experiment' }).click()
      await page.getByText('It is created, and runs.').waitFor()
      await isReady(page)
      expect(await page.locator('.created').textContent()).toMatch(/^exp-[0-9a-f]{8} running/)
      expect(await page.getByRole('button', { name: 'Yes, create the experiment' }).count()).toBe(0)
      const [first, second] = await instancesOf(page)
      expect([first, second].toSorted()).toEqual(['1', '2'])
      expect(await page.locator('.instances [data-answering="true"]').textContent()).toContain(
        `Instance ${second}`,
      )
      await page.getByText('The result, as the next tool finds it').last().click()
      await expectNoAxeInLong(page)
      await shoot(page, `ab-created-${colorScheme}`)

      await page.reload()
      await page.getByRole('radio', { name: keeper }).check()
      await page.locator('.created').waitFor()
      expect(await answers(page).count()).toBe(2)
      expect(faults).toEqual([])
    })
  },
)

it('goes on when an instance is killed, tells why a tool refused, and fits a narrow screen', async () => {
  const { page, faults } = await openPage({ url }, '/', { viewport: narrow })
  await say(page, 'Test https://shop.example/pricing and create it at once.')
  await page.getByText('I may not create it in the same breath').waitFor()
  await isReady(page)
  expect(await page.locator('.refused').textContent()).toContain(
    'The user has not confirmed a preview yet.',
  )
  await shoot(page, 'ab-narrow')
  const [answered] = await instancesOf(page)
  await page.getByRole('button', { name: `Kill instance ${answered}` }).click()
  await page.getByText('starts again').waitFor()
  await shoot(page, 'ab-killed')
  await page.getByRole('button', { name: 'Yes, create the experiment' }).click()
  await page.getByText('It is created, and runs.').waitFor()
  await expectNoAxeInLong(page)
  const overflow = () => document.documentElement.scrollWidth - document.documentElement.clientWidth
  expect(await page.evaluate(overflow)).toBe(0)
  expect(faults).toEqual([])
})

it('streams: the answer grows while it is written, and can be stopped', async () => {
  const { page, faults } = await openPage({ url }, '/')
  // Inside of the page, because a test that looks from outside may come too late.
  await page.evaluate(() => {
    const seen: string[] = []
    Object.assign(window, { seen })
    new MutationObserver(() => {
      const text = [...document.querySelectorAll('article[data-role="assistant"] .text')].at(
        -1,
      )?.textContent
      if (!text || text === seen.at(-1)) return
      seen.push(text)
      if (seen.length === 1)
        document.querySelector<HTMLElement>('form button[type="button"]')?.click()
    }).observe(document.body, { childList: true, characterData: true, subtree: true })
  })
  await say(page, 'hello')
  await answers(page).last().locator('.text').waitFor()
  await isReady(page)
  expect(await answers(page).last().locator('.text').textContent()).not.toContain('/pricing”')
  await say(page, 'hello')
  await page.locator('.text', { hasText: '/pricing”' }).waitFor()
  const seen = await page.evaluate(() => (window as unknown as { seen: string[] }).seen)
  const whole = seen.at(-1)!
  expect(seen.length).toBeGreaterThan(5)
  expect(seen.every(text => whole.startsWith(text))).toBe(true)
  expect(faults).toEqual([])
})
