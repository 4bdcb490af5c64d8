import { ModelError } from '@throughline/models/model'
import { rules } from '@throughline/models/reader'
import { readerUpstream } from '@throughline/server/upstream/reader-upstream'
import { toLines } from '@throughline/test-tools/sample-lines'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { callDurations } from '../src/views/over-time/call-durations.ts'
import {
  expectNoAxeInLong,
  expectNoAxeViolations,
  expectNoAxeViolationsInThemes,
  isLong,
  narrow,
  openPage,
  type ServedInspector,
  sample,
  serveInspector,
  shoot,
} from './open-inspector.ts'

const evil = '<img src=x onerror="globalThis.harmed=1"><script>globalThis.harmed=1</script>'
const long = `両生類の移動調査・${'とても長い'.repeat(30)}${'x'.repeat(200)}`

/** A model that writes notes, fails when it is told to, and never answers when it is told to wait. */
const upstream = {
  ...readerUpstream(),
  model: () =>
    rules(
      ({ messages }) => {
        const asked = String(messages.findLast(({ role }) => role === 'user')?.content)
        if (asked.includes('fail'))
          throw new ModelError('model_refused', evil, { isRetryable: false })
        if (asked.includes('wait')) return new Promise<string>(() => {})
        return `Heard ${asked}. [NOTE TO SELF: I heard ${asked}]`
      },
      { name: `model ${evil}`, window: 4096 },
    ),
}

let served: ServedInspector
let talking: ServedInspector
beforeAll(async () => {
  served = await serveInspector()
  talking = await serveInspector({ isEmpty: true, upstream, notes: true })
  await say(`Hello ${evil}`)
  await say(`Hello ${long}`)
  await say('please fail')
  const leaving = new AbortController()
  const waiting = fetch(`${talking.url}/throughline/v1/conversations/talk/send`, {
    method: 'POST',
    body: JSON.stringify({ input: 'please wait' }),
    signal: leaving.signal,
  })
  void waiting.catch(() => undefined)
  await untilCall('sent')
  leaving.abort()
  await untilCall('cancelled')
})
afterAll(async () => {
  await served.stop()
  await talking.stop()
})

const say = async (input: string) =>
  (await talking.ask('POST', '/conversations/talk/send', { input })).text()

interface ToldCall {
  readonly id: string
  readonly status: string
  readonly turn: number
  readonly error?: string
}

const calls = async (): Promise<readonly ToldCall[]> => {
  const response = await talking.ask('GET', '/conversations/talk/calls')
  return response.ok ? ((await response.json()) as { calls: readonly ToldCall[] }).calls : []
}

/** `expect.poll` is for tests only, and this is for a hook. */
const untilCall = (wanted: string) =>
  vi.waitFor(async () => expect((await calls()).map(({ status }) => status)).toContain(wanted), {
    timeout: 600_000,
  })

const inert = () => 'harmed' in globalThis || document.querySelector('img, main script') !== null

it('shows exactly what the API dumps as text, in any turn; and finds, by keys', async () => {
  const { page, faults } = await openPage(served, `/inspector/c/${sample}/context`)
  const text = page.getByRole('region', { name: 'What was sent, as text' })
  const expected = async (path: string) =>
    (await served.ask('GET', `/conversations/${sample}/dump${path}`)).text()
  const shown = () => text.evaluate(element => element.textContent)
  const form = page.getByRole('group', { name: 'Form of what was sent' })
  await form.getByRole('button', { name: 'Readable', pressed: true }).waitFor()
  await form.getByRole('button', { name: 'Text' }).click()
  await page.waitForURL('**/context?as=text')
  await form.getByRole('button', { name: 'Text', pressed: true }).waitFor()
  await page.getByText('No call is stored here: made now').waitFor()
  expect(await shown()).toBe(await expected(''))
  await page.keyboard.press('/')
  await page.keyboard.type('toad')
  await page.getByText(/^1 of \d+$/).waitFor()
  await page.keyboard.press('Enter')
  await page.getByText(/^2 of \d+$/).waitFor()
  expect(new URL(page.url()).searchParams.get('q')).toBe('toad')
  await expect
    .poll(() => text.locator('mark[data-current="true"]').textContent())
    .toMatch(/^toad$/i)
  expect(await shown()).toBe(await expected(''))
  await page.keyboard.press('Escape')
  await expect.poll(() => text.locator('mark').count()).toBe(0)
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download' }).click(),
  ])
  expect(file.suggestedFilename()).toBe(`${sample}-now.txt`)
  await page.goto(`${served.url}/inspector/c/${sample}/context?as=text&turn=9`)
  const points = (
    await (await served.ask('GET', `/conversations/${sample}/timeline?against=&fates=false`)).text()
  )
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as { turn: number; at: number })
  const { at } = points.find(({ turn }) => turn === 9)!
  const inTurn = await expected(`?at=${at}`)
  await expect.poll(shown).toBe(inTurn)
  await expectNoAxeViolations(page)
  // The slider leads to other turns in this form too, and the other form has the same messages.
  await page.keyboard.press('ArrowRight')
  await page.waitForURL('**turn=10')
  await expect.poll(shown).not.toBe(inTurn)
  await page.keyboard.press('r')
  await page.waitForURL('**as=request**')
  const json = page.getByRole('region', { name: 'What was sent, as JSON' })
  const { messages } = JSON.parse((await json.evaluate(element => element.textContent))!)
  expect(messages.length).toBeGreaterThan(10)
  await form.getByRole('button', { name: 'Readable' }).click()
  await page.waitForURL('**/context?turn=10')
  expect(faults).toEqual([])
})

it('lists every call, also those that failed or were cancelled, and leads to what was sent', async () => {
  const all = await calls()
  const { page, faults } = await openPage(talking, '/inspector/c/talk/over-time')
  await page.getByRole('heading', { name: '4 model calls, 2 not completed' }).waitFor()
  await expectNoAxeViolationsInThemes(page, 'calls')
  const table = page.getByRole('region', { name: 'All calls' })
  await table
    .getByRole('row', { name: /failed: model_refused/ })
    .getByRole('link')
    .click()
  const failed = all.find(({ status }) => status === 'failed')!
  await page.waitForURL(`**/context?**call=${failed.id}**`)
  await page.getByText('Failed (model_refused):').waitFor()
  await page.getByRole('button', { name: 'Request' }).click()
  const { model, messages } = (await (
    await talking.ask('GET', `/conversations/talk/calls/${failed.id}`)
  ).json()) as { model: string; messages: readonly { time?: number }[] }
  const json = page.getByRole('region', { name: 'What was sent, as JSON' })
  expect(JSON.parse((await json.evaluate(element => element.textContent))!)).toEqual({
    model,
    messages: messages.map(({ time: _, ...message }) => message),
  })
  await page.getByText(`call ${failed.id}`).waitFor()
  await expectNoAxeInLong(page)
  const text = page.getByRole('region', { name: 'What was sent, as text' })
  const dumpOf = async (id: string) =>
    (await talking.ask('GET', `/conversations/talk/calls/${id}/dump`)).text()
  await page.keyboard.press('d')
  await expect
    .poll(() => text.evaluate(element => element.textContent))
    .toBe(await dumpOf(failed.id))
  await page.keyboard.press(']')
  const cancelled = all.find(({ status }) => status === 'cancelled')!
  await page.waitForURL(`**/context?**call=${cancelled.id}**`)
  await page.getByText('Cancelled: the reply was stopped before its end.').waitFor()
  await expect
    .poll(() => text.evaluate(element => element.textContent))
    .toBe(await dumpOf(cancelled.id))
  expect(await page.evaluate(inert)).toBe(false)
  expect(faults).toEqual([])
})

it('has a tab for tools and notes only where there are some', async () => {
  const { page, faults } = await openPage(talking, '/inspector/c/talk/chat')
  const tabs = page.getByRole('banner').getByRole('navigation').getByRole('link')
  await expect
    .poll(() => tabs.allInnerTexts())
    .toEqual(['Chat', 'Context', 'Over time', 'Tools and notes'])
  await page.keyboard.press('4')
  await page.waitForURL('**/c/talk/tools')
  const plain = toLines([{ role: 'user', content: 'Hello' }], {
    conversation: 'plain',
    title: 'Plain',
  })
  expect((await talking.ask('POST', '/import', plain)).ok).toBe(true)
  const answered = page.waitForResponse(response =>
    response.url().includes('/conversations/plain/state'),
  )
  await page.goto(`${talking.url}/inspector/c/plain/tools`)
  await answered
  await page.getByRole('heading', { name: 'No tool results and no notes yet' }).waitFor()
  expect(await tabs.allInnerTexts()).toEqual(['Chat', 'Context', 'Over time'])
  await expectNoAxeInLong(page)
  expect(faults).toEqual([])
})

it('lists the notes with their turns, says that users never see them, and leads to the entry', async () => {
  const { page, faults } = await openPage(talking, '/inspector/c/talk/tools')
  await page.getByRole('heading', { name: '2 notes that the model wrote to itself' }).waitFor()
  await page.getByText('Users never see them').waitFor()
  await page.getByText(`I heard Hello ${evil}`).waitFor()
  if (isLong) await expectNoAxeViolationsInThemes(page, 'notes')
  await say('Hello again')
  await page.getByRole('heading', { name: '3 notes that the model wrote to itself' }).waitFor()
  await page.getByRole('link', { name: 'Entry 3' }).click()
  await page.waitForURL('**/context?entry=3')
  expect(await page.evaluate(inert)).toBe(false)
  expect(faults).toEqual([])
})

it('shows states with the entry that each came from, and what was skipped; also as they were', async () => {
  const call = (id: string, name: string) => ({
    ...{ role: 'assistant', content: '' },
    tool_calls: [{ id, type: 'function', function: { name, arguments: '{}' } }],
  })
  const result = (id: string, content: string) => ({ role: 'tool', tool_call_id: id, content })
  const said = [
    ...[{ role: 'user', content: 'Sell.' }, call('a', 'sell'), result('a', '{"cash":20}')],
    ...[{ role: 'user', content: 'More.' }, call('b', 'sell'), result('b', '{"cash":50}')],
    ...[{ role: 'user', content: 'And look.' }, call('c', 'look'), result('c', evil)],
    ...[{ role: 'user', content: 'More.' }, call('d', 'sell'), result('d', `Error: ${evil}`)],
  ]
  const lines = toLines(said, { conversation: 'stand', title: 'Stand' })
  expect((await served.ask('POST', '/import', lines)).ok).toBe(true)
  const { page, faults } = await openPage(served, '/inspector/c/stand/tools')
  await page
    .getByRole('heading', { name: 'The newest results of 2 tools, 1 result skipped' })
    .waitFor()
  await page.getByRole('row', { name: 'cash 50' }).waitFor()
  // In the row of its call, and as the newest result of its tool.
  await page.getByRole('cell', { name: evil, exact: true }).waitFor()
  await page.getByRole('listitem').getByText(evil, { exact: true }).waitFor()
  await page
    .getByRole('list', { name: 'Skipped results of sell' })
    .getByText('error result')
    .waitFor()
  await expectNoAxeViolationsInThemes(page, 'tools')
  await page.setViewportSize(narrow)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(narrow.width)
  await page.getByRole('link', { name: 'Entry 6' }).click()
  await page.waitForURL('**/c/stand/context?entry=6')
  await page.goto(`${served.url}/inspector/c/stand/tools?turn=1`)
  await page.getByRole('heading', { name: 'The newest results of 1 tool after turn 1' }).waitFor()
  await page.getByRole('row', { name: 'cash 20' }).waitFor()
  expect(await page.evaluate(inert)).toBe(false)
  expect(faults).toEqual([])
})

it('shows the texts of strangers as texts, here and in the list, search and experiments', async () => {
  const told = (what: string) => `${what} ${evil}`
  const conversation = told('name')
  const messages = [
    { role: 'user', content: told('question') },
    {
      ...{ role: 'assistant', content: '' },
      tool_calls: [
        { id: 'a', type: 'function', function: { name: told('tool'), arguments: '{}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'a', content: told('result') },
    { role: 'assistant', content: told('answer') },
  ]
  const lines = toLines(messages, { conversation, title: told('title') })
  expect((await talking.ask('POST', '/import', lines)).ok).toBe(true)
  const plan = {
    name: told('plan'),
    environment: { word: { type: 'string', value: told('value') } },
    roles: [{ name: told('role'), model: told('model'), system: told('system'), tools: [] }],
    goals: [{ description: told('goal'), holds: 'word == "x"' }],
    maxSteps: 1,
  }
  expect((await talking.ask('POST', '/experiments', { id: told('run'), plan })).ok).toBe(true)
  const [newest] = await calls()
  const strange = `c/${encodeURIComponent(conversation)}`
  const run = `e/${encodeURIComponent(told('run'))}`
  const { page, faults } = await openPage(talking)
  for (const [path, text] of [
    ['', told('title')],
    ['search?q=onerror', told('title')],
    ['e', told('plan')],
    [run, told('role')],
    [`${strange}/tools`, told('result')],
    [`${strange}/context?as=text`, told('question')],
    ['c/talk/tools', `I heard Hello ${evil}`],
    ['c/talk/over-time', `model ${evil}`],
    [`c/talk/context?as=request&call=${newest!.id}`, '<img src=x'],
  ] as const) {
    await page.goto(`${talking.url}/inspector/${path}`)
    await page.getByRole('main').getByText(text).first().waitFor()
    expect([path, await page.evaluate(inert)]).toEqual([path, false])
  }
  await page.goto(`${talking.url}/inspector/${run}?plan=open`)
  await page.getByRole('dialog').getByText(told('system')).waitFor()
  expect(await page.evaluate(inert)).toBe(false)
  expect(faults).toEqual([])
})

it.runIf(isLong)('stands on a narrow screen, with the texts of strangers', async () => {
  const { page, faults } = await openPage(talking, '/inspector/c/talk/tools', { viewport: narrow })
  const [newest] = await calls()
  const paths = ['tools', 'context?as=text', `context?as=request&call=${newest!.id}`, 'over-time']
  for (const path of paths) {
    await page.goto(`${talking.url}/inspector/c/talk/${path}`)
    // On a phone the table of calls has no room for the model's name: it is there, and hidden.
    const state = path === 'over-time' ? 'attached' : 'visible'
    await page.getByText('<img src=x').first().waitFor({ state })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(narrow.width)
    expect(await page.evaluate(inert)).toBe(false)
    await expectNoAxeInLong(page)
    await shoot(page, `narrow-${path.replace(/\W.*/, '')}`)
  }
  expect(faults).toEqual([])
})

it('tells how long calls took only where the log tells it', () => {
  const entry = (turn: number, role: string, time: number) => ({ turn, role, time })
  const call = (id: string, turn: number, time: number, status = 'completed') => ({
    ...{ call: id, turn, time, status },
  })
  const entries = [
    entry(1, 'user', 0),
    entry(1, 'assistant', 50),
    entry(1, 'tool', 60),
    entry(1, 'assistant', 100),
    entry(2, 'user', 200),
    entry(2, 'assistant', 300),
  ]
  const given = [
    call('tried again', 2, 250),
    call('failed', 2, 210, 'failed'),
    call('second', 1, 70),
    call('first', 1, 10),
    call('nothing written', 3, 400),
  ]
  expect([...callDurations(given, entries)].sort()).toEqual([
    ['first', 40],
    ['second', 30],
    ['tried again', 50],
  ])
})
