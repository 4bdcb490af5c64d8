import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gallery } from '@throughline/test-tools/gallery'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import {
  expectNoAxeViolationsInThemes,
  isLong,
  narrow,
  openPage,
  type ServedInspector,
  serveInspector,
} from './open-inspector.ts'

let served: ServedInspector
beforeAll(async () => {
  served = await serveInspector({ isEmpty: true, plugs: [gallery()] })
})
afterAll(() => served.stop())

/** Presses a chip or a button, and waits until the answer is there. */
async function press(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click()
  await answered(page)
}

async function say(page: Page, title: string, text: string): Promise<void> {
  await page.getByLabel(`Say something to the ${title}`).fill(text)
  await page.keyboard.press('Enter')
  await answered(page)
}

const answered = (page: Page) => page.getByRole('button', { name: 'Send' }).waitFor()

it('has no place in the page of a server without it', async () => {
  const bare = await serveInspector({ isEmpty: true })
  const { page, faults } = await openPage(bare)
  await page.getByRole('heading', { level: 1 }).waitFor()
  expect(await page.getByRole('link', { name: 'Try' }).count()).toBe(0)
  expect(await page.getByText('Try an application').count()).toBe(0)
  expect(faults).toEqual([])
  await bare.stop()
})

it('leads from the welcome page over the cards to the lamp, which plays beside its context', async () => {
  const { page, faults } = await openPage(served)
  await page.getByRole('heading', { name: 'Try an application' }).waitFor()
  await page.getByRole('link', { name: 'Try', exact: true }).click()
  await page.getByRole('heading', { name: 'Try one, and watch what its model sees' }).waitFor()
  await expectNoAxeViolationsInThemes(page, 'gallery')
  await page.getByRole('link', { name: /^Lamp Say what/ }).click()
  await page.getByText('Nothing plays yet.').waitFor()
  await press(page, 'a thunderstorm')
  await page.getByRole('img', { name: /^a thunderstorm, 4 steps/ }).waitFor()
  await page.getByText('reached the model').waitFor()
  await press(page, 'Play up to 10 exchanges')
  await page.getByRole('heading', { name: /^10 exchanges/ }).waitFor()
  await page.getByText('2 whole, 8 as one line').first().waitFor()
  await page.getByText('system').first().waitFor()
  await expectNoAxeViolationsInThemes(page, 'gallery-lamp')
  await press(page, 'Undo')
  await page.getByRole('heading', { name: /^11 exchanges/ }).waitFor()
  await page.getByRole('button', { name: 'Start over' }).click()
  await page.getByText('Nothing plays yet.').waitFor()
  await page.getByText('Here stands what its model was sent').waitFor()
  expect(new URL(page.url()).searchParams.get('conversation')).toBe('try-lamp-2')
  expect(faults).toEqual([])
})

it('shows the site without running it, with the notes of the agent beside its replies', async () => {
  const { page, faults } = await openPage(served, '/inspector/try/site-editor')
  const preview = page.frameLocator('iframe[title^=Preview]')
  await preview.getByRole('heading', { name: 'Heron Café' }).waitFor()
  await press(page, 'change the title to Blue Door')
  await preview.getByRole('heading', { name: 'Blue Door' }).waitFor()
  await press(page, 'make the background dark blue')
  await expect
    .poll(() => preview.locator('body').evaluate(body => getComputedStyle(body).backgroundColor))
    .toBe('rgb(20, 40, 75)')
  await press(page, 'add a page about opening hours')
  await page.getByText('note to self · turn 3').waitFor()
  await press(page, 'what did you change so far?')
  await page.getByText('1. The title was "Heron Café"').waitFor()
  await page.getByRole('button', { name: 'opening-hours' }).click()
  await preview.getByRole('heading', { name: 'opening hours' }).waitFor()
  await expectNoAxeViolationsInThemes(page, 'gallery-site-editor')
  await press(page, 'Undo')
  await page.getByText('Taken back: index.html, menu.html, opening-hours.html.').waitFor()
  expect(faults).toEqual([])
})

it('runs nothing that stands in a page of the site', async () => {
  const { page, faults } = await openPage(served, '/inspector/try/site-editor')
  const preview = page.frameLocator('iframe[title^=Preview]')
  await preview.getByRole('heading').first().waitFor()
  const asked: string[] = []
  const elsewhere = createServer((request, response) => {
    asked.push(request.url ?? '')
    response.end()
  })
  await once(elsewhere.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void elsewhere.close())
  const { port } = elsewhere.address() as AddressInfo
  const seen = await page.locator('iframe[title^=Preview]').evaluate(async (frame, at) => {
    const root = (frame as HTMLIFrameElement).contentDocument!.documentElement
    root.innerHTML = `<body onload="top.hacked=1"><img src="${at}/a.png" onerror="top.hacked=1"><script>top.hacked=1</script><iframe src="${at}/b"></iframe><style>@import "${at}/c.css"</style></body>`
    await new Promise(resolve => setTimeout(resolve, 300))
    return (globalThis as unknown as { hacked?: number }).hacked
  }, `http://127.0.0.1:${port}`)
  expect([seen, asked]).toEqual([undefined, []])
  // The browser tells what it refused.
  expect(faults.length).toBeGreaterThan(2)
})

it('creates an experiment by the button of its preview alone, and draws how the state passes', async () => {
  const { page, faults } = await openPage(served, '/inspector/try/ab-agent')
  await press(page, 'Plan a test for https://shop.example/checkout')
  await page.getByText('nothing is created yet').waitFor()
  await say(page, 'A/B agent', 'I did not say yes!')
  await page.getByText('nothing is created yet').waitFor()
  await page
    .getByRole('img', { name: /Instance A wrote ideas as #3, variants as #\d+, preview/ })
    .waitFor()
  await press(page, 'use the second idea')
  await expectNoAxeViolationsInThemes(page, 'gallery-ab-agent')
  await press(page, 'Create this experiment')
  await page.getByText('What was created').waitFor()
  await page.getByRole('cell', { name: /^exp-/ }).waitFor()
  expect(await page.getByRole('button', { name: 'Create this experiment' }).count()).toBe(0)
  expect(faults).toEqual([])
})

it('answers a question three ways, and says which of them still have the answer', async () => {
  const { page, faults } = await openPage(served, '/inspector/try/proxy')
  await press(page, 'What is a night called after?')
  await page.getByRole('heading', { name: 'What is a night called after?' }).waitFor()
  const ways = page.getByRole('region', { name: 'One question, three ways' })
  await expect.poll(() => ways.getByText('cut', { exact: true }).count()).toBe(2)
  await ways.getByText('saw it', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'In the growing conversation' }).click()
  await page.getByText('Behind the chat stand all questions').waitFor()
  await page.getByRole('button', { name: 'Harry in 1 token' }).click()
  const small = page.getByRole('region', { name: 'Two small cases' })
  await small.getByText('[Several conversation turns removed to conserve context.]').waitFor()
  await expectNoAxeViolationsInThemes(page, 'gallery-proxy')
  expect(faults).toEqual([])
})

it.runIf(isLong)(
  'stands on a narrow screen, where every button is large enough for a finger',
  async () => {
    for (const name of ['', '/lamp', '/site-editor', '/ab-agent', '/proxy']) {
      const { page, faults } = await openPage(served, `/inspector/try${name}`, { viewport: narrow })
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.waitForFunction(
        () => !document.querySelector('[role=status][aria-label^=Loading]'),
      )
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(narrow.width)
      const small = await page.evaluate(() =>
        [...document.querySelectorAll('main button')].flatMap(button => {
          const { height, width } = button.getBoundingClientRect()
          return height === 0 || (height >= 44 && width >= 44) ? [] : [button.textContent]
        }),
      )
      expect([name, small]).toEqual([name, []])
      await expectNoAxeViolationsInThemes(page, `gallery-narrow${name.replace('/', '-')}`)
      expect(faults).toEqual([])
    }
  },
)
