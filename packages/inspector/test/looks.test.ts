import { createExperiments, defineExperiment } from '@throughline/experiment'
import { createHistory } from '@throughline/history'
import { rules } from '@throughline/models/reader'
import { freePort } from '@throughline/test-tools/free-port'
import { toLines } from '@throughline/test-tools/sample-lines'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  expectNoAxeInLong,
  isLong,
  openPage,
  type ServedInspector,
  sample,
  serveInspector,
} from './open-inspector.ts'

const widths = isLong ? [390, 768, 1024, 1440] : [1024]
const stand = 'sample-lemonade-stand'

/** A server whose model has been calibrated: the project chat was gone on with, and the lemonade stand has run. */
let served: ServedInspector
beforeAll(async () => {
  served = await serveInspector()
  await served.ask('POST', '/samples/experiment')
  for (const input of [
    'Which grid reference does Priya want for the fence?',
    'And the count for bucket five?',
  ])
    await (await served.ask('POST', `/conversations/${sample}/send`, { input })).text()
  // Its events end when it does.
  await (await served.ask('GET', `/experiments/${stand}/events`)).text()
})
afterAll(() => served.stop())

const at = (page: Page, path: string) => page.goto(`${served.url}/inspector/${path}`)

/** The boxes of some elements that take room, by what they say. */
const boxesOf = (page: Page, selector: string) =>
  page.locator(selector).evaluateAll(elements =>
    elements.flatMap(element => {
      const { left, right, top, bottom, width, height } = element.getBoundingClientRect()
      return width > 0 && height > 0
        ? [{ left, right, top, bottom, text: element.textContent ?? '' }]
        : []
    }),
  )

/** The pairs of boxes that lie on each other, by more than a line. */
function overlaps(boxes: Awaited<ReturnType<typeof boxesOf>>): readonly string[] {
  return boxes.flatMap((one, index) =>
    boxes
      .slice(index + 1)
      .filter(
        other =>
          Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1 &&
          Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 1,
      )
      .map(other => `${one.text.slice(0, 40)} × ${other.text.slice(0, 40)}`),
  )
}

/** The elements whose text is cut off. */
const cutOff = (page: Page, selector: string) =>
  page
    .locator(selector)
    .evaluateAll(elements =>
      elements
        .filter(one => one.clientWidth > 0 && one.scrollWidth > one.clientWidth)
        .map(one => one.textContent),
    )

const numbersIn = (text: string) =>
  [...text.matchAll(/\d[\d,]*/g)].map(([one]) => Number(one.replaceAll(',', '')))

describe('a window that was set to 4,096', () => {
  // The same of the API is in packages/server/test/api/model-tokens.test.ts.
  it.runIf(isLong)(
    'stays so in every view after calls of a calibrated model, and its parts add up',
    async () => {
      const { page, faults } = await openPage(served, `/inspector/c/${sample}/context`)
      const answer = page.getByRole('region', { name: 'What reached the model' })
      const total = answer.getByText(/of 4,096 tokens/)
      await total.waitFor()
      await total.click()
      await page.getByText(/our counts times 0\.9/).waitFor()
      await page.keyboard.press('Escape')
      // The bar in words: sent, free and reserve are the window, with the margin.
      const said = await answer.getByRole('img').getAttribute('aria-label')
      const [sent = 0, window = 0, free = 0, reserve = 0] = numbersIn(said ?? '')
      expect([window, reserve]).toEqual([4096, 512])
      expect(4096 - sent - free - reserve).toBeGreaterThan(0)
      expect(4096 - sent - free - reserve).toBeLessThan(0.06 * 4096)
      const rows = page.getByRole('tree', { name: 'Messages in the order of the prompt' })
      await rows.getByRole('treeitem').first().waitFor()
      expect(await page.locator('[aria-activedescendant$="undefined"]').count()).toBe(0)

      await at(page, `c/${sample}/over-time`)
      await page.getByText('of 4,096 tokens were sent').waitFor()
      const figures = page.locator('aside dl').first()
      await figures.getByText('the model counted').waitFor()
      const told = (await figures.locator('div').allInnerTexts()).map(text =>
        text.replace(/\s+/g, ' '),
      )
      const upTo = told.findIndex(text => text.startsWith('tokens sent'))
      const parts = told.slice(0, upTo).map(text => numbersIn(text).at(-1) ?? 0)
      expect(parts.reduce((sum, one) => sum + one, 0)).toBe(numbersIn(told[upTo]!).at(-1))

      await at(page, `c/${sample}/chat`)
      await page
        .getByRole('complementary', { name: 'The window of the last call' })
        .getByText('of 4,096')
        .waitFor()
      await at(page, `c/${sample}/context?b=4096.sliding-50`)
      await expect.poll(() => page.getByText('of 4,096 tokens').count()).toBe(2)
      await at(page, `c/${sample}/context?as=request`)
      await page.getByText('4,096, of which 512 for the reply').waitFor()
      await page.getByText(/our counts times 0\.9/).waitFor()
      await at(page, `c/${stand}/context?actor=owner`)
      await page.getByText(/of 4,096 tokens/).waitFor()
      await at(page, '')
      await expect.poll(() => page.getByText('of 4,096').count()).toBe(2)
      expect(faults).toEqual([])
    },
  )
})

describe('nothing lies on anything else, and no figure is cut off', () => {
  it(`at ${widths.join(', ')} pixels`, async () => {
    const { page, faults } = await openPage(
      served,
      `/inspector/c/${sample}/context?turn=170&entry=21`,
    )
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 })
      await at(page, `c/${sample}/context?turn=170&entry=21`)
      await page.getByRole('complementary', { name: 'Entry 21' }).waitFor()
      await page.getByRole('treeitem').first().waitFor()
      const log = width > 720 ? '[aria-label="The log"] > *, ' : ''
      // The columns by what they hold, which may be wider than they are.
      expect([
        width,
        overlaps(
          await boxesOf(
            page,
            `${log}[aria-label="What the model got"] > *, [aria-label^="From the log"]`,
          ),
        ),
      ]).toEqual([width, []])
      const figures = '[aria-label="What reached the model"] > p > span'
      expect([width, overlaps(await boxesOf(page, figures))]).toEqual([width, []])
      expect([width, await cutOff(page, '[aria-label^="Branch "] span, header strong')]).toEqual([
        width,
        [],
      ])
      for (const name of ['Compare with …', 'End comparison']) {
        const button = page.getByRole('button', { name, exact: true })
        await button.waitFor()
        const { x, width: wide } = (await button.boundingBox())!
        expect([width, x >= 0, x + wide <= width]).toEqual([width, true, true])
        expect([width, await cutOff(page, 'button[aria-pressed]')]).toEqual([width, []])
        await button.click()
      }
      await at(page, `c/${stand}/tools?actor=owner`)
      await page.getByRole('button', { name: 'Branch owner · main' }).waitFor()
      expect([width, await cutOff(page, '[aria-label^="Branch "] span')]).toEqual([width, []])
      await at(page, `e/${stand}`)
      await page.getByRole('button', { name: /owner, step 1:/ }).waitFor()
      await expect
        .poll(() => cutOff(page, 'table[aria-label^="What each role"] button :is(b, span span)'))
        .toEqual([])
      await at(page, '')
      await page.getByRole('link', { name: 'Toad patrol' }).waitFor()
      expect([width, await cutOff(page, '[role=row] > [role=cell]:nth-child(3), h1')]).toEqual([
        width,
        [],
      ])
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
    }
    expect(faults).toEqual([])
  })
})

describe('on a first visit', () => {
  it('few files are asked for, a tab leads to the view, and a narrow screen has a menu', async () => {
    const { page, faults } = await openPage(served, '/inspector/settings')
    await page.getByRole('heading', { level: 1 }).waitFor()
    const asked: string[] = []
    page.on('request', request => asked.push(request.url()))
    await at(page, '')
    await page.getByRole('link', { name: 'Toad patrol' }).waitFor()
    await page.waitForLoadState('load')
    expect(asked.length).toBeLessThanOrEqual(15)
    await page.keyboard.press('Tab')
    await page.getByRole('link', { name: 'Skip to the view' }).press('Enter')
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('MAIN')
    await page.setViewportSize({ width: 390, height: 844 })
    for (const [place, address] of [
      ['Experiments', 'e'],
      ['Search', 'search'],
      ['Settings', 'settings'],
    ] as const) {
      await page.getByRole('button', { name: 'Menu' }).click()
      await page.getByRole('menuitem', { name: place }).click()
      await page.waitForURL(`**/inspector/${address}`)
    }
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('menuitem', { name: 'Conversations' }).press('Escape')
    await expectNoAxeInLong(page)
    expect(faults).toEqual([])
  })
})

describe('what is not there yet', () => {
  it('looks like loading while it loads, and an unknown conversation is said not to exist', async () => {
    const { page, faults } = await openPage(served, '/inspector/settings')
    let release = () => {}
    const held = new Promise<void>(resolve => {
      release = resolve
    })
    await page.route(/\/calls\/[^/]+$/, async route => {
      await held
      await route.continue()
    })
    await at(page, `c/${sample}/context`)
    await page.getByText('being read …').waitFor()
    expect(await page.getByText(/format overhead \d/).count()).toBe(0)
    expect(await page.getByText('0 messages').count()).toBe(0)
    release()
    await page.getByText(/\d+ messages, in this order/).waitFor()
    await at(page, 'c/nobody/context')
    await page.getByRole('heading', { name: 'There is no conversation “nobody”' }).waitFor()
    await expectNoAxeInLong(page)
    await page.getByRole('link', { name: 'Begin it' }).click()
    await page.getByRole('heading', { name: 'There is no conversation “nobody” yet' }).waitFor()
    expect(faults).toEqual([])
  })

  it.runIf(isLong)(
    'a view that is opened while the server is away comes when it is back',
    async () => {
      const port = await freePort()
      const first = await serveInspector({ isEmpty: true, port })
      await first.ask(
        'POST',
        '/import',
        toLines([{ role: 'user', content: 'Hello' }], { conversation: 'a', title: '' }),
      )
      const { page } = await openPage(first, '/inspector/c/a/tools')
      await page.getByRole('link', { name: 'Server live: reader' }).waitFor()
      await page
        .getByRole('heading', { level: 1 })
        .or(page.getByRole('heading', { level: 2 }))
        .first()
        .waitFor()
      await first.stop()
      await page.getByRole('link', { name: 'Context', exact: true }).click()
      await page.getByText(/No answer from/).waitFor()
      const second = await serveInspector({ isEmpty: true, port })
      await second.ask(
        'POST',
        '/import',
        toLines([{ role: 'user', content: 'Hello' }], { conversation: 'a', title: '' }),
      )
      await page
        .getByRole('button', { name: 'Try now' })
        // It may have come back by itself.
        .click({ timeout: 2000 })
        .catch(() => {})
      await page.getByRole('tree', { name: 'Messages in the order of the prompt' }).waitFor()
      await page.getByText('Hello').first().waitFor()
      expect(await page.getByText(/No answer from/).count()).toBe(0)
      await second.stop()
    },
  )
})

describe('what is found', () => {
  it('has the words that were typed, in names and in messages, and every form of them is marked', async () => {
    const lines = toLines(
      [
        { role: 'user', content: 'One turtle, then two turtles.', time: '2019-05-04T10:00:00Z' },
        { role: 'assistant', content: 'Turtles it is.', time: '2019-05-04T10:01:00Z' },
      ],
      { conversation: 'pond life', title: 'Pond life' },
    )
    expect((await served.ask('POST', '/import', lines)).status).toBe(200)
    const { page, faults } = await openPage(served, '/inspector/search?q=turtle')
    await page.locator('mark').first().waitFor()
    expect(await page.locator('mark').allInnerTexts()).toEqual(['turtle', 'turtles', 'Turtles'])
    await page.getByText('4 May 2019').first().waitFor()
    await page.keyboard.press('Control+k')
    const input = page.getByRole('combobox', { name: 'Find anything' })
    await input.fill('tdp')
    await page.getByText('Nothing matches these words.').waitFor()
    await input.fill('toad pat')
    await page.getByRole('option', { name: /Toad patrol/ }).waitFor()
    await input.fill('two turtles')
    const found = page.getByRole('group', { name: 'Messages' }).getByRole('option').first()
    await found.filter({ hasText: 'two turtles' }).waitFor()
    await expectNoAxeInLong(page)
    await found.click()
    await page.waitForURL('**/c/pond%20life/context?entry=1')
    await page.getByText('Sat 4 May 2019').first().waitFor()
    expect(faults).toEqual([])
  })
})

describe('an experiment', () => {
  it('says what a goal is, and that only the program with its plan can resume it', async () => {
    const experiments = createExperiments({ history: createHistory({ store: served.store }) })
    const plan = defineExperiment({
      name: 'in-code',
      environment: { count: { type: 'int', value: 0 } } as const,
      roles: [
        {
          name: 'counter',
          model: rules(async () => {
            await experiments.pause('in-code')
            return 'I count.'
          }),
        },
      ],
      goals: [
        { description: 'never', outcome: 'failed', holds: ({ count }) => count > 3 && count < 2 },
      ],
      maxSteps: 4,
    })
    expect(await experiments.run(plan, { id: 'in-code' }).result()).toMatchObject({
      status: 'PAUSED',
    })
    const { page, faults } = await openPage(served, '/inspector/e/in-code')
    await page.getByText('not yet · would fail it').waitFor()
    await page.getByText(/Its plan is code, which is not stored here/).waitFor()
    expect(await page.getByRole('button', { name: 'Resume' }).count()).toBe(0)
    expect(faults).toEqual([])
  })
})
