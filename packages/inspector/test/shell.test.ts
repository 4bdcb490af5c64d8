import { freePort } from '@throughline/test-tools/free-port'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import {
  expectNoAxeInLong,
  expectNoAxeViolations,
  expectNoAxeViolationsInThemes,
  narrow,
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

describe('the shell', () => {
  it('opens in both themes, asks nobody else, and axe finds nothing', async () => {
    const { page, faults } = await openPage(served, `/inspector/c/${sample}/tools`)
    await page.getByRole('link', { name: 'Context' }).waitFor()
    await expect.poll(() => page.title()).toBe('Toad patrol · Throughline')
    await page.getByRole('link', { name: 'Server live: reader' }).waitFor()
    await expectNoAxeViolationsInThemes(page, 'shell')
    expect(faults).toEqual([])
  })

  it('has no place for what the server does not have', async () => {
    const bare = await serveInspector({ plugs: [], isEmpty: true })
    onTestFinished(() => bare.stop())
    const { page, faults } = await openPage(bare, '/inspector/')
    await page.getByRole('button', { name: 'Open the sample conversation' }).waitFor()
    expect(await page.getByRole('link', { name: 'Experiments' }).count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Run the lemonade stand' }).count()).toBe(0)
    expect(await page.getByRole('link', { name: 'Search' }).count()).toBe(1)
    const { page: other } = await openPage(served, '/inspector/welcome')
    await other.getByRole('button', { name: 'Run the lemonade stand' }).waitFor()
    await other.getByRole('link', { name: 'Experiments' }).waitFor()
    expect(faults).toEqual([])
  })

  it('goes to views by their tabs and by keys, keeps the place in the address, and back leads back', async () => {
    const { page, faults } = await openPage(served, `/inspector/c/${sample}/tools?turn=9&entry=21`)
    await page.getByRole('link', { name: 'Over time', exact: true }).click()
    await page.waitForURL('**/over-time?turn=9&entry=21')
    await page.keyboard.press('2')
    await page.waitForURL('**/context?turn=9&entry=21')
    await page.goBack()
    await page.waitForURL('**/over-time?turn=9&entry=21')
    await page.keyboard.press('g')
    await page.keyboard.press('c')
    await page.waitForURL(/\/inspector\/?$/)
    expect(faults).toEqual([])
  })

  it('opens the palette and the help by keys, and switches the theme', async () => {
    const { page, faults } = await openPage(served, `/inspector/c/${sample}/tools`)
    await page.getByRole('link', { name: 'Context' }).waitFor()
    await page.keyboard.press('?')
    await page.getByRole('heading', { name: 'Keys' }).waitFor()
    await expectNoAxeInLong(page)
    await shoot(page, 'keys')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Find anything' }).fill('toad')
    await page.getByRole('option', { name: /Toad patrol/ }).waitFor()
    await expectNoAxeViolations(page)
    await shoot(page, 'palette')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/c/${sample}/context`)
    await page.keyboard.press('t')
    await expect
      .poll(() => page.evaluate(() => document.documentElement.dataset.theme))
      .toBe('dark')
    expect(faults).toEqual([])
  })

  it('stands on a narrow screen, with very long names and other scripts', async () => {
    const long = '両生類の移動調査 2026年春、東京都西部の谷戸（夜間班）'.repeat(8)
    await served.ask('PATCH', `/conversations/${sample}`, { title: long })
    const { page, faults } = await openPage(served, `/inspector/c/${sample}/tools`, {
      viewport: narrow,
    })
    await page.getByText(long).waitFor()
    await shoot(page, 'shell-narrow')
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(narrow.width)
    await expectNoAxeViolations(page)
    await served.ask('PATCH', `/conversations/${sample}`, { title: 'Toad patrol' })
    expect(faults).toEqual([])
  })

  it('says what is not there', async () => {
    const { page, faults } = await openPage(served, '/inspector/nowhere/at/all')
    await page.getByRole('heading', { name: 'There is nothing at this address' }).waitFor()
    await expectNoAxeInLong(page)
    expect(faults).toEqual([])
  })

  it('says when the server is away and keeps what it shows; it comes back by itself', async () => {
    const port = await freePort()
    const first = await serveInspector({ port })
    const { page } = await openPage(first, `/inspector/c/${sample}/tools`)
    await page.getByText('Toad patrol').waitFor()
    await page.getByRole('link', { name: 'Server live: reader' }).waitFor()
    await first.stop()
    await page.getByText(/No answer from 127\.0\.0\.1:\d+ since/).waitFor()
    expect(await page.getByText('Toad patrol').count()).toBe(1)
    await shoot(page, 'away')
    await expectNoAxeInLong(page)
    await page.getByRole('button', { name: 'Try now' }).click()
    const second = await serveInspector({ port })
    await page.getByRole('link', { name: 'Server live: reader' }).waitFor()
    await page.getByText(/No answer/).waitFor({ state: 'detached' })
    await second.stop()
  })
})

describe('while a sheet is loading', () => {
  it('keys of the page do nothing', async () => {
    const { page, faults } = await openPage(served, `/inspector/c/${sample}/tools`)
    await page.getByRole('heading').first().waitFor()
    let release = () => {}
    const held = new Promise<void>(resolve => {
      release = resolve
    })
    let isAsked = false
    await page.route(/command-palette/, async route => {
      isAsked = true
      await held
      await route.continue()
    })
    await page.keyboard.press('Control+k')
    await expect.poll(() => isAsked).toBe(true)
    // Context and Over time are a key away otherwise.
    await page.keyboard.press('2')
    await page.keyboard.press('3')
    release()
    await page.getByRole('combobox', { name: 'Find anything' }).waitFor()
    expect(new URL(page.url()).pathname).toMatch(/tools$/)
    expect(faults).toEqual([])
  })
})

describe('a server that wants keys', () => {
  it('asks for a key, keeps it for the tab, and sends it', async () => {
    const key = 'a-key-of-sixteen-characters'
    const locked = await serveInspector({ apiKeys: [key] })
    try {
      const { page, faults } = await openPage(locked, `/inspector/c/${sample}/tools`)
      await page.getByRole('heading', { name: 'This server needs a key' }).waitFor()
      await expectNoAxeViolations(page)
      await shoot(page, 'key')
      await page.getByLabel('Key', { exact: true }).fill('wrong-key-wrong-key')
      await page.getByRole('button', { name: 'Open' }).click()
      await page.getByText('This key is not known here').waitFor()
      await page.getByLabel('Key', { exact: true }).fill(key)
      await page.getByRole('button', { name: 'Open' }).click()
      await expect.poll(() => page.title()).toBe('Toad patrol · Throughline')
      expect(await page.evaluate(() => Object.keys(localStorage))).toEqual([])
      expect(page.url()).not.toContain(key)
      expect(faults).toEqual([])
    } finally {
      await locked.stop()
    }
  })
})
