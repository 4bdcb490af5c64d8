import { afterAll, beforeAll, expect, it } from 'vitest'
import { row } from './chat-page.ts'
import {
  expectNoAxeViolations,
  narrow,
  openPage,
  type ServedInspector,
  serveInspector,
  shoot,
} from './open-inspector.ts'

/** The built-in reader has a window of 512 tokens, and of 4,096 for what is asked again. */
let served: ServedInspector
beforeAll(async () => {
  served = await serveInspector({ isEmpty: true, window: 512, reserve: 64 })
  const say = async (way: string, body: object, query = '') => {
    const response = await served.ask('POST', `/conversations/caretaker/${way}${query}`, body)
    expect(response.status).toBe(200)
    await response.text()
  }
  await say('send', { input: 'Hello.' })
  await say('send', { input: 'The caretaker comes on Thursdays.' })
  for (let turn = 1; turn < 8; turn++)
    await say('send', {
      input: `Turn ${turn}. ${'The garden was quiet and the weather mild. '.repeat(6)}`,
    })
  await say('send', { input: 'When does the caretaker come?' })
  await say('regenerate', { policy: 'sliding-1' })
  await say('edit', { input: 'Where does the cat sleep?', at: 19 })
})
afterAll(() => served.stop())

it('have words of their own, the newest first, and two of them are compared: what they share, then what differs', async () => {
  const { page, faults } = await openPage(served, '/inspector/c/caretaker/chat')
  const branches = page.getByRole('complementary', { name: 'Branches' })
  const names = branches.getByRole('link')
  await expect.poll(() => names.count()).toBe(3)
  expect(await names.allInnerTexts()).toEqual([
    expect.stringMatching(/^main\n10 turns/),
    expect.stringMatching(/^reworded at #19\nby you · now · “Where does the cat sleep\?”/),
    expect.stringMatching(/^asked again, turn 10\nby you/),
  ])
  await names.nth(2).focus()
  await page.keyboard.press('Space')
  const both = page.getByRole('region', { name: 'Two branches' })
  const a = both.getByRole('region', { name: 'A: main' })
  const b = both.getByRole('region', { name: 'B: asked again, turn 10' })
  await both.getByText(/^1[89] messages in common\./).waitFor()
  await a.getByText(/The caretaker comes on Thursdays/).waitFor()
  await a.getByText(/; the answer has its words/).waitFor()
  await b.getByText('not sent', { exact: true }).waitFor()
  expect(await b.getByText(/The caretaker comes on Thursdays/).count()).toBe(0)
  expect(await both.getByText('The garden was quiet').count()).toBe(0)
  await expectNoAxeViolations(page)
  await shoot(page, 'branches-light')
  await page.emulateMedia({ colorScheme: 'dark' })
  await shoot(page, 'branches-dark')
  await page.keyboard.press('Escape')
  await row(page, /Reply, message 20/).waitFor()
  expect(faults).toEqual([])
})

it('are compared from a message on a narrow screen', async () => {
  const { page, faults } = await openPage(served, '/inspector/c/caretaker/chat', {
    viewport: narrow,
  })
  await page.getByRole('button', { name: 'Compare these versions' }).last().click()
  await page.getByRole('region', { name: 'Two branches' }).getByText('in common').waitFor()
  const isWithin = () => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)
  expect(await isWithin()).toBe(true)
  await expectNoAxeViolations(page)
  await shoot(page, 'branches-390')
  await page.getByRole('button', { name: 'Close' }).click()
  await row(page, /Reply, message 20/).waitFor()
  expect(faults).toEqual([])
})
