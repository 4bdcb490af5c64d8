import { isLong } from '@throughline/test-tools/is-long'
import {
  expectNoAxeViolationsInThemes,
  narrow,
  openPage,
  shoot,
  wide,
} from '@throughline/test-tools/open-page'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { startExample } from './start-example.ts'

let url: string
beforeAll(async () => {
  url = await startExample('lamp', ['--port', '0'])
})

/** A small page: without a graphics card, large moving pictures are slow. */
const small = { viewport: { width: 900, height: 520 } }

/** The colours of the lamp as it is now: the sums of red, green and blue in its middle. */
const colours = (page: Page) =>
  page.locator('#lamp').evaluate(lamp => {
    const canvas = lamp as HTMLCanvasElement
    // A copy is read: the page's own canvas stays one that is only drawn on.
    const copy = new OffscreenCanvas(40, 40).getContext('2d', { willReadFrequently: true })!
    copy.drawImage(canvas, 0, 0, canvas.width, canvas.height, 0, 0, 40, 40)
    const { data } = copy.getImageData(0, 0, 40, 40)
    const sums = [0, 0, 0]
    for (let at = 0; at < data.length; at++) if (at % 4 < 3) sums[at % 4]! += data[at]!
    return sums
  })

async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel('Say what the lamp should do').fill(text)
  await page.getByRole('button', { name: 'Send' }).click()
  await expect
    .poll(() => page.locator('.talk > li').last().locator('.summary, .kept, .answer > p').count())
    .toBe(1)
  await page.getByRole('button', { name: 'Send' }).waitFor()
}

describe('the page of the lamp', () => {
  it('plays what is asked for, changes it, and shows the use of the window', async () => {
    const { page, faults } = await openPage({ url }, '/#one', small)
    await page.getByText('I am a few rules, not a model').waitFor()
    const dark = await colours(page)
    const use = page.locator('#use')
    await expect.poll(() => use.textContent()).toMatch(/^1,\d{3} of 4,096 tokens$/)
    const before = await use.textContent()

    await say(page, 'blue waves')
    await page
      .getByRole('img', { name: 'The lamp plays blue waves, 1 step: wave(#0000FF)' })
      .waitFor()
    const [red = 0, , blue = 0] = await colours(page)
    expect(blue).toBeGreaterThan(dark[2]! * 2)
    expect(blue).toBeGreaterThan(red * 2)
    const first = JSON.stringify(await colours(page))
    await expect.poll(async () => JSON.stringify(await colours(page))).not.toBe(first)

    // The keyboard's place is not lost with the button that was pressed.
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('request')
    await say(page, 'make it red')
    expect(await page.locator('.decision').allTextContents()).toEqual([
      'taken as something new: nothing plays yet',
      'taken as a change: “it”',
    ])
    await page
      .getByRole('img', { name: 'The lamp plays blue waves, 1 step: wave(#FF0000)' })
      .waitFor()
    const now = await colours(page)
    expect(now[0]).toBeGreaterThan(now[2]! * 2)
    expect(await use.textContent()).not.toBe(before)

    await page.getByRole('button', { name: 'Pause' }).click()
    const still = await colours(page)
    await page.waitForTimeout(150)
    expect(await colours(page)).toEqual(still)
    expect(faults).toEqual([])
  })

  it('keeps what plays when a request is not understood, and shows everything again after a reload', async () => {
    const { page, faults } = await openPage({ url }, '/#two', small)
    await page.getByRole('button', { name: 'a thunderstorm' }).click()
    await page.getByRole('button', { name: 'stop moving' }).waitFor()
    await say(page, '<img src=x onerror=alert(1)> taste of plums')
    await page.getByText('I do not understand').waitFor()
    // What it asks back with stands below as chips.
    await expect.poll(() => page.locator('#ideas button').count()).toBe(3)
    await page.getByRole('img', { name: /The lamp plays a thunderstorm, 4 steps/ }).waitFor()
    const said = await page.locator('.talk > li').count()
    await page.reload()
    await page.getByRole('img', { name: /The lamp plays a thunderstorm, 4 steps/ }).waitFor()
    expect(await page.locator('.talk > li').count()).toBe(said)
    expect(await page.locator('.talk img').count()).toBe(0)
    await page.locator('#steps [aria-current]').waitFor()
    await page.getByText('Program', { exact: true }).click()
    await page.getByLabel('Program', { exact: true }).waitFor()
    expect(faults).toEqual([])
  })

  it('is accessible, light and dark, also on a narrow screen', async () => {
    const { page, faults } = await openPage({ url }, '/#looks', { ...small, colorScheme: 'light' })
    await page.getByText('I am a few rules').waitFor()
    await shoot(page, 'lamp-empty')
    for (const text of ['a thunderstorm', 'a bit slower', 'make it taste of plums', 'a red heart'])
      await say(page, text)
    await page.getByRole('button', { name: 'Pause' }).click()
    for (const viewport of [wide, narrow]) {
      await page.setViewportSize(viewport)
      if (isLong || viewport === wide)
        await expectNoAxeViolationsInThemes(page, `lamp-${viewport.width}`)
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
        viewport.width,
      )
    }
    expect(faults).toEqual([])
  })

  it('stands still for whoever wants no motion, until told to play', async () => {
    const { page } = await openPage({ url }, '/#still', { ...small, reducedMotion: 'reduce' })
    await say(page, 'rainbow')
    const still = await colours(page)
    await page.waitForTimeout(150)
    expect(await colours(page)).toEqual(still)
    await page.getByRole('button', { name: 'Play' }).click()
    await expect.poll(() => colours(page)).not.toEqual(still)
  })
})
