import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readerUpstream } from '@throughline/server/upstream/reader-upstream'
import type { Upstream } from '@throughline/server/upstream/upstream'
import { toLines } from '@throughline/test-tools/sample-lines'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  expectNoAxeInLong,
  expectNoAxeViolationsInThemes,
  isLong,
  narrow,
  openPage,
  type ServedInspector,
  serveInspector,
  shoot,
} from './open-inspector.ts'

/** The first turns of the project chat. */
const march = 'toads-in-march'

let served: ServedInspector
let points: readonly Point[]
beforeAll(async () => {
  served = await serveInspector({ isEmpty: true })
  const chat = JSON.parse(readFileSync(file, 'utf8')) as readonly { readonly role: string }[]
  const lines = toLines(chat.slice(0, 154), { conversation: march, title: 'Toads in March' })
  expect((await served.ask('POST', '/import', lines)).ok).toBe(true)
  points = await readTimeline('fates=false&against=sliding-20,thrifty')
})
afterAll(() => served.stop())

const file = join(import.meta.dirname, '../../../examples/project-chat.json')

interface Point {
  readonly turn: number
  readonly tokens: number
  readonly reused: number
  readonly anew: number
  readonly parts: Readonly<Record<string, number>>
  readonly cut?: { readonly before: number }
  readonly against: readonly { readonly policy: string; readonly anew: number }[]
}

async function readTimeline(query: string) {
  const response = await served.ask('GET', `/conversations/${march}/timeline?${query}`)
  const lines = (await response.text()).split('\n').filter(line => line !== '')
  return lines.map(line => JSON.parse(line) as Point)
}

const address = `/inspector/c/${march}/over-time`
const sum = (of: (point: Point) => number) => points.reduce((all, point) => all + of(point), 0)
const number = (amount: number) => amount.toLocaleString('en')
const figure = (page: Page, name: string | RegExp) =>
  page
    .getByRole('complementary', { name: 'One turn' })
    .locator('dl > div')
    .filter({ hasText: name })
    .locator('dd')

/** The call of a turn that sent most. */
const fullestOf = (turn: number) =>
  points
    .filter(one => one.turn === turn)
    .reduce((most, one) => (one.tokens > most.tokens ? one : most))

/** A call before which the cut moved. */
const isCut = ({ cut }: Point, at: number) =>
  cut !== undefined && cut.before !== points[at - 1]?.cut?.before

describe('the view over time', () => {
  it('answers what was read, with the figures of the API, and axe finds nothing in both themes', async () => {
    const { turn, ...point } = points.findLast(isCut)!
    const before = points.findLast(
      ({ cut }) => cut !== undefined && cut.before !== point.cut?.before,
    )!
    const { page, faults } = await openPage(served, `${address}?turn=${turn}&with=sliding-20`)
    const anew = sum(one => one.anew)
    const other = sum(({ against }) => against[0]!.anew)
    expect(other).toBeGreaterThan(2 * anew)
    const answer = `${(other / anew).toFixed(1)} × less to read than with the last 20 messages`
    await page.getByRole('heading', { level: 1, name: answer }).waitFor()
    await page
      .getByText(
        `${number(anew)} new tokens instead of ${number(other)}, in 51 turns and ${points.length} calls`,
      )
      .waitFor()
    const most = Math.max(...points.map(({ tokens }) => tokens))
    await page.getByRole('figure', { name: `At most ${number(most)} of 4,096 tokens` }).waitFor()
    const share = Math.round((100 * sum(({ reused }) => reused)) / sum(({ tokens }) => tokens))
    const cuts = points.filter(isCut).length
    const reuse = new RegExp(`${share} % was a cached prefix.*▴ history cut, ${cuts} times`)
    await page.getByRole('figure', { name: reuse }).waitFor()
    const first = fullestOf(turn)
    await expect.poll(() => figure(page, /^tokens sent/).innerText()).toBe(number(first.tokens))
    await expect.poll(() => figure(page, 'history').innerText()).toBe(number(first.parts.history!))
    await expect.poll(() => figure(page, /^cached prefix/).innerText()).toBe(number(first.reused))
    await page
      .getByText(`History starts at #${point.cut!.before} instead of #${before.cut!.before}: `, {
        exact: false,
      })
      .waitFor()
    await expectNoAxeViolationsInThemes(page, 'over-time')
    expect(faults).toEqual([])
  })

  it.runIf(isLong)(
    'is used with keys only: turns, cuts, the menu, the table of calls, the way to the context',
    async () => {
      const { page, faults } = await openPage(served, `${address}?turn=30`)
      const turn = page.getByRole('slider', { name: 'Turn' })
      await page.getByText(/, in 51 turns and \d+ calls$/).waitFor()
      await page.keyboard.press('ArrowLeft')
      await page.waitForURL('**/over-time?turn=29')
      await page.keyboard.press('Shift+ArrowLeft')
      await page.waitForURL('**/over-time?turn=19')
      await page.keyboard.press('Home')
      await page.waitForURL('**/over-time?turn=1')
      await page.getByRole('heading', { name: 'Turn 1', exact: true }).waitFor()
      await page.keyboard.press('c')
      await page.waitForURL(`**/over-time?turn=${points.find(isCut)!.turn}`)
      await expect.poll(() => turn.getAttribute('aria-valuetext')).toMatch(/history was cut$/)
      await page.keyboard.press('End')
      await page.waitForURL('**/over-time')
      await page.getByRole('heading', { name: 'Turn 51' }).waitFor()

      await page.getByRole('button', { name: 'Compare with' }).focus()
      await page.keyboard.press('Enter')
      await page.getByRole('menuitemradio', { name: 'thrifty' }).waitFor()
      await page.keyboard.type('thr')
      await page.keyboard.press('Enter')
      await page.waitForURL('**/over-time?with=thrifty')
      const other = sum(({ against }) => against[1]!.anew)
      await page.getByText(`tokens instead of ${number(other)},`).waitFor()
      await page.getByRole('heading', { level: 1, name: 'to read than with thrifty' }).waitFor()

      const last = points.filter(one => one.turn === 51).at(-1)!
      const row = page.getByRole('region', { name: 'All calls' }).getByRole('row').nth(1)
      await row.getByRole('link', { name: /^51(?:, call|$)/ }).waitFor()
      const cells = await row.getByRole('cell').allInnerTexts()
      const share = `${Math.round((100 * last.reused) / last.tokens)} %`
      expect(cells.slice(3, 7)).toEqual([
        ...[number(last.tokens), `≈ ${number(last.reused)} · ${share}`],
        ...[number(last.anew), number(last.against[1]!.anew)],
      ])
      await expectNoAxeInLong(page)
      await page.goBack()
      await page.waitForURL('**/over-time')
      await page.getByRole('button', { name: 'Compare with the last 50 messages' }).waitFor()
      await page.keyboard.press('ArrowLeft')
      await page.keyboard.press('o')
      await page.waitForURL('**/context?turn=50')
      expect(faults).toEqual([])
    },
  )

  it('shows single calls, and the turn under the pointer without moving the address', async () => {
    const { page, faults } = await openPage(served, `${address}?by=call&turn=44`)
    const call = page.getByRole('slider', { name: 'Call' })
    await expect.poll(() => call.getAttribute('aria-valuemax')).toBe(String(points.length))
    const box = (await call.boundingBox())!
    await page.mouse.move(box.x + box.width - 2, box.y + 200)
    await page.getByRole('heading', { name: 'Turn 51' }).waitFor()
    expect(page.url()).toContain('turn=44')
    await page.mouse.move(box.x + box.width + 200, box.y + 200)
    await page.getByRole('heading', { name: 'Turn 44' }).waitFor()
    await page.mouse.click(box.x + 1, box.y + 200)
    await page.waitForURL('**/over-time?by=call&turn=1&call=2')
    expect(faults).toEqual([])
  })

  it.runIf(isLong)('stands on a narrow screen with many more turns than pixels', async () => {
    const many = Array.from({ length: 900 }, (_, at) => ({
      role: at % 2 === 0 ? 'user' : 'assistant',
      content: `message ${at}`,
    }))
    const lines = toLines(many, { conversation: 'many', title: 'Many turns' })
    expect((await served.ask('POST', '/import', lines)).ok).toBe(true)
    const { page, faults } = await openPage(served, '/inspector/c/many/over-time?with=stable', {
      viewport: narrow,
      colorScheme: 'dark',
    })
    await page.getByText('in 450 turns and 450 calls', { exact: false }).waitFor()
    const bars = page.locator('path[data-colour="kept"]').first()
    await expect
      .poll(async () => (await bars.getAttribute('d'))!.split('M').length)
      .toBeGreaterThan(200)
    expect((await bars.getAttribute('d'))!.split('M').length - 1).toBeLessThanOrEqual(narrow.width)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(narrow.width)
    await page.getByRole('button', { name: 'Turn before' }).click()
    await page.waitForURL('**/over-time?with=stable&turn=449')
    await page.locator('summary').click()
    await page.getByRole('link', { name: 'Open turn 449 in context' }).waitFor()
    await expectNoAxeInLong(page)
    await shoot(page, 'over-time-narrow')
    expect(faults).toEqual([])
  })
})

describe('calls that are made while one looks on', () => {
  it('come in with what the model reported; one that was cancelled is marked', async () => {
    const quick = readerUpstream()
    const endless = readerUpstream({ delayMs: 3_600_000 })
    let current = quick
    const upstream: Upstream = { ...quick, model: (...given) => current.model(...given) }
    const live = await serveInspector({ isEmpty: true, upstream })
    const say = (input: string) => live.ask('POST', '/conversations/boat/send', { input })
    try {
      await (await say('The boat is called Seagull.')).text()
      const { page, faults } = await openPage(live, '/inspector/c/boat/over-time')
      await page.getByText('in 1 turn and 1 call').waitFor()
      await (await say('What is the boat called?')).text()
      await page.getByText('in 2 turns and 2 calls').waitFor()
      await page.getByRole('heading', { name: 'Turn 2' }).waitFor()
      await page.getByRole('figure', { name: 'our count over what the model reported' }).waitFor()
      const { calls } = await (await live.ask('GET', '/conversations/boat/calls')).json()
      await expect
        .poll(() => figure(page, /^the model counted/).innerText())
        .toBe(number(calls[0].reported))
      current = endless
      const { body } = await say('Tell me again what the boat is called, please.')
      const reader = body!.getReader()
      await reader.read()
      // A turn that is cancelled before the model was asked has no call.
      const callsNow = async () =>
        (await (await live.ask('GET', '/conversations/boat/calls')).json()).calls
      await expect.poll(async () => (await callsNow()).length).toBe(3)
      await reader.cancel()
      await page.getByText('A call was cancelled').waitFor()
      await expect.poll(() => page.locator('[data-mark="broken"]').getAttribute('d')).toContain('M')
      await shoot(page, 'over-time-live')
      expect(faults).toEqual([])
    } finally {
      await live.stop()
    }
  })

  it('says that no model was asked', async () => {
    const lines = toLines([], { conversation: 'nothing', title: 'Nothing' })
    expect((await served.ask('POST', '/import', lines)).ok).toBe(true)
    const { page } = await openPage(served, '/inspector/c/nothing/over-time')
    await page.getByRole('heading', { name: 'No model was asked yet' }).waitFor()
  })
})
