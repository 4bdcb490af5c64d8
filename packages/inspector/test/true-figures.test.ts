import { toLines } from '@throughline/test-tools/sample-lines'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { composer } from './chat-page.ts'
import { openPage, type ServedInspector, sample, serveInspector } from './open-inspector.ts'

let served: ServedInspector
beforeAll(async () => {
  served = await serveInspector()
})
afterAll(() => served.stop())

const number = (amount: number) => amount.toLocaleString('en')

/** One turn in which a tool is called again and again, each result longer than the last. */
const manyCalls = [
  { role: 'user', content: 'Read all the logbooks.' },
  ...Array.from({ length: 12 }, (_, at) => [
    {
      role: 'assistant',
      content: '',
      tool_calls: [
        { id: `c${at}`, type: 'function', function: { name: 'read', arguments: `{"book":${at}}` } },
      ],
    },
    {
      role: 'tool',
      tool_call_id: `c${at}`,
      content: `Book ${at}: ${'calm sea and light wind. '.repeat(at)}`,
    },
  ]).flat(),
  { role: 'assistant', content: 'All are read.' },
]

it('forecasts what is then sent, with the draft, and what of it is reused', async () => {
  const { page, faults } = await openPage(served, `/inspector/c/${sample}/chat`)
  await page.getByText(/next call about/).waitFor()
  for (const text of [
    'What is the grid reference for the fence?',
    'And who is Priya, the county recorder?',
  ]) {
    const counted = page.waitForResponse(
      response =>
        response.url().includes('/forecast') && response.request().postData()!.includes(text),
    )
    await composer(page).fill(text)
    const { tokens, reused } = (await (await counted).json()) as { tokens: number; reused: number }
    const share = `${Math.round((100 * reused) / tokens)} % cached`
    await page.getByText(`next call about ${number(tokens)} tokens · ${share}`).waitFor()
    await composer(page).press('Enter')
    const column = page.getByRole('complementary', { name: 'The window of the last call' })
    await column.getByText(`${number(tokens)} of 4,096`).waitFor()
    await column.getByText(share).waitFor()
  }
  expect(faults).toEqual([])
})

it('shows a turn of many calls by call, and never says "at most" of less than a call had', async () => {
  const lines = toLines(manyCalls, { conversation: 'books', title: 'Logbooks' })
  expect((await served.ask('POST', '/import', lines)).ok).toBe(true)
  const answer = await (await served.ask('GET', '/conversations/books/timeline?fates=false')).text()
  const points = answer
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as { tokens: number })
  const most = Math.max(...points.map(({ tokens }) => tokens))
  const { page, faults } = await openPage(served, '/inspector/c/books/over-time')
  await page.getByRole('slider', { name: 'Call' }).waitFor()
  await page.getByRole('button', { name: 'By call' }).click()
  await page.getByRole('menuitemradio', { name: /By turn/ }).click()
  await page.waitForURL('**/over-time?by=turn')
  await page.getByRole('figure', { name: `At most ${number(most)} of 4,096 tokens` }).waitFor()
  await page.getByText('tokens sent in the fullest call').waitFor()
  expect(faults).toEqual([])
})

it('says of a curve that is not whole that it is not final', async () => {
  const { page } = await openPage(served, '/inspector')
  await page.route('**/timeline?**against=sliding-50**', async route => {
    const response = await route.fetch()
    const lines = (await response.text()).split('\n')
    await route.fulfill({ response, body: lines.slice(0, lines.length / 2).join('\n') })
  })
  await page.goto(`${served.url}/inspector/c/${sample}/over-time`)
  await page.getByText(/^the last 50 messages: \S+ so far$/).waitFor()
  await expect.poll(() => page.getByText(/^balanced: \S+$/).count()).toBe(1)
})

it('says when a side does not fit its window', async () => {
  const { page, faults } = await openPage(
    served,
    `/inspector/c/${sample}/context?a=4096.balanced&b=300.balanced.reserve-0`,
  )
  await page.getByRole('heading', { level: 1, name: 'B would not fit' }).waitFor()
  await page.getByRole('button', { name: /^B: balanced at 300: .*does not fit/ }).waitFor()
  expect(faults).toEqual([])
})

it('shows the request of a call with its model, its options and its tools', async () => {
  const request = {
    model: 'reader',
    temperature: 0.25,
    messages: [{ role: 'user', content: 'The gate is green.' }],
    tools: [
      {
        type: 'function',
        function: { name: 'open_gate', parameters: { type: 'object', properties: {} } },
      },
    ],
  }
  const response = await fetch(`${served.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-throughline-conversation': 'gate' },
    body: JSON.stringify(request),
  })
  expect(response.ok).toBe(true)
  const { page, faults } = await openPage(served, '/inspector/c/gate/context')
  await page.getByRole('button', { name: 'Request' }).click()
  await page.waitForURL('**/context?as=request')
  const json = page.getByRole('region', { name: 'What was sent, as JSON' })
  const sent = JSON.parse((await json.evaluate(element => element.textContent))!)
  expect(sent).toMatchObject({ model: 'reader', temperature: 0.25, tools: [{ name: 'open_gate' }] })
  expect(sent.messages).toEqual(request.messages)
  expect(faults).toEqual([])
})
