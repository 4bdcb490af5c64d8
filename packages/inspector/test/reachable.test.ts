import { afterAll, beforeAll, expect, it } from 'vitest'
import { composer } from './chat-page.ts'
import {
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

const context = `/inspector/c/${sample}/context`
const say = async (conversation: string, body: object) =>
  (await served.ask('POST', `/conversations/${conversation}/send`, body)).text()

it('a button that cannot be pressed looks so, and says why to a pointer, a finger and keys', async () => {
  const { page, faults } = await openPage(served, `/inspector/c/${sample}/chat`)
  const send = page.getByRole('button', { name: 'Send' })
  await expect.poll(() => send.evaluate(one => getComputedStyle(one).opacity)).toBe('0.45')
  expect(await send.getAttribute('title')).toBe('Write a message first.')
  await send.focus()
  await page.keyboard.press('Enter')
  await page.getByText('Write a message first.').waitFor()
  await composer(page).fill('Hello.')
  await expect.poll(() => send.evaluate(one => getComputedStyle(one).opacity)).toBe('1')
  await page.goto(`${served.url}${context}`)
  await page.getByRole('button', { name: 'Turn after' }).click({ force: true })
  await page.getByText('This is the last turn.').waitFor()
  expect(faults).toEqual([])
})

it('goes to a message by its number, in the log and in the palette', async () => {
  const { page, faults } = await openPage(served, context)
  await page.getByRole('searchbox', { name: /^Find in/ }).fill('12')
  await page.waitForURL(url => url.searchParams.get('entry') === '12')
  await page.getByRole('treeitem', { name: /^12/, selected: true }).waitFor()
  await page.goto(`${served.url}/inspector/c/${sample}/over-time`)
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill('Find 12')
  await page.getByRole('option', { name: 'Message #12 of this conversation' }).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL('**/context?entry=12')
  expect(faults).toEqual([])
})

it('opens explanations by touch and by keys', async () => {
  const touch = await openPage(served, context, { viewport: narrow, hasTouch: true })
  const tokens = (one: typeof touch) => one.page.getByRole('button', { name: /of 4,096 tokens/ })
  await tokens(touch).tap()
  await touch.page.getByText('Tokens by our own count').waitFor()
  const keys = await openPage(served, context)
  await tokens(keys).focus()
  await keys.page.keyboard.press('Enter')
  await keys.page.getByText('Tokens by our own count').waitFor()
  expect([...touch.faults, ...keys.faults]).toEqual([])
})

it('sets code and what tools gave in letters of one width', async () => {
  const { page, faults } = await openPage(served, `${context}?entry=511`)
  const text = page.getByRole('complementary').getByText('"station": "pond"').first()
  const font = () => text.evaluate(one => getComputedStyle(one).fontFamily)
  await expect.poll(font).toContain('monospace')
  await page.goto(`${served.url}${context}?entry=517`)
  const log = page.getByRole('complementary').getByText('Stopping paddock.service').first()
  await expect
    .poll(() => log.evaluate(one => getComputedStyle(one).fontFamily))
    .toContain('monospace')
  await page.goto(`${served.url}${context}?entry=21`)
  const words = page.getByRole('complementary').getByText('Also, at the end of all this').first()
  expect(await words.evaluate(one => getComputedStyle(one).fontFamily)).not.toContain('monospace')
  expect(faults).toEqual([])
})

it('leads from a row of the calls to the context of that call, on a narrow screen too', async () => {
  for (let n = 0; n < 14; n++) await say('many', { input: `Box ${n} is blue.` })
  const { page, faults } = await openPage(served, '/inspector/c/many/over-time', {
    viewport: narrow,
  })
  const rows = page
    .getByRole('region', { name: 'All calls' })
    .getByRole('row', { name: /completed/ })
  await expect.poll(() => rows.count()).toBe(14)
  await rows.nth(12).click()
  await page.waitForURL('**/c/many/context?turn=2&call=*')
  await page.getByRole('heading', { name: '3 of 3 messages reached the model' }).waitFor()
  expect(faults).toEqual([])
})

it('says at the bar of a call why room is free, in the words of the panel', async () => {
  const { free } = (await (
    await served.ask('GET', `/conversations/${sample}/context?texts=false`)
  ).json()) as { free: number }
  const words = `${free.toLocaleString('en')} tokens are free: `
  const { page, faults } = await openPage(served, `${context}?entry=3`)
  const bar = page.getByRole('region', { name: 'What reached the model' })
  await bar.getByText(words).waitFor()
  const shown = await page.getByRole('complementary').getByText(words).innerText()
  const [, amounts = ''] = shown.split(words)
  const sum = [...amounts.matchAll(/([\d,]+) for /g)].reduce(
    (sum, [, one = '']) => sum + Number(one.replace(',', '')),
    0,
  )
  expect(sum).toBe(free)
  expect(faults).toEqual([])
})

it('shows the true fault of a call that no upstream took', async () => {
  await say('unknown', { input: 'Hello?', model: 'nope' })
  const words = 'The model nope is not known to the upstream'
  const { page, faults } = await openPage(served, '/inspector')
  await page.getByText(words).waitFor()
  await page.goto(`${served.url}/inspector/c/unknown/chat`)
  await page.getByText(words).waitFor()
  await page.goto(`${served.url}/inspector/c/unknown/over-time`)
  await page
    .getByRole('row', { name: /failed: model_not_found/ })
    .getByRole('link')
    .click()
  await page.getByText(words).waitFor()
  expect(faults).toEqual([])
})

it('leaves what was there while the server is away, and opens what it has read', async () => {
  const own = await serveInspector()
  const { page, faults } = await openPage(own, `/inspector/c/${sample}/context?b=4096.sliding-50`)
  await page.getByRole('heading', { name: /^B drops/ }).waitFor()
  await page.getByRole('button', { name: 'Readable' }).click()
  await page.getByRole('heading', { name: /messages would reach the model/ }).waitFor()
  await page.getByRole('button', { name: 'Compare with …' }).click()
  const answer = await page.getByRole('heading', { name: /^B drops/ }).innerText()
  await own.stop()
  await page.getByText(/^No answer from/).waitFor()
  await page.getByRole('button', { name: 'Try now' }).click()
  expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe(answer)
  await page.getByRole('button', { name: 'Readable' }).click()
  await page.getByRole('heading', { name: /messages would reach the model/ }).waitFor()
  // What is found in the texts that were read is marked as not all.
  await page.getByRole('searchbox', { name: /^Find in/ }).fill('toads')
  await page.getByText(/^\d+…$/).waitFor()
  await page.getByRole('searchbox', { name: /^Find in/ }).fill('')
  await page.getByRole('button', { name: 'Text', exact: true }).click()
  await page.getByRole('heading', { name: 'The server does not answer' }).waitFor()
  expect(faults).toEqual([])
})

it('leaves room to read why at 200 % zoom, where the screen is short', async () => {
  const viewport = { width: 720, height: 450 }
  const { page, faults } = await openPage(served, `/inspector/c/${sample}/context?entry=21`, {
    viewport,
  })
  const panel = page.getByRole('complementary', { name: 'Entry 21' })
  await panel.getByText('asks for it').waitFor()
  const body = panel.locator('> div').last()
  expect((await body.boundingBox())!.height).toBeGreaterThan(140)
  const isWithin = () => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)
  expect(await isWithin()).toBe(true)
  await shoot(page, 'zoom-entry')
  expect(faults).toEqual([])
})
