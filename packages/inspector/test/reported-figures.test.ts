import { openaiUpstream } from '@throughline/server/upstream/model-servers'
import { startUpstream } from '@throughline/test-tools/scripted-upstream'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { clientChat } from './client-chat.ts'
import {
  expectNoAxeViolations,
  openPage,
  type ServedInspector,
  serveInspector,
  shoot,
} from './open-inspector.ts'

let served: ServedInspector
let model: Awaited<ReturnType<typeof startUpstream>>

const tool = {
  type: 'function',
  function: {
    name: 'tide',
    description: 'Tells the tide.',
    parameters: { type: 'object', properties: {} },
  },
}

/** The model reports 200 tokens, and from the second request on 50 of them from its cache: a quarter. */
beforeAll(async () => {
  let asked = 0
  model = await startUpstream(({ path }) => {
    if (!path.endsWith('/chat/completions')) return { status: 404, body: {} }
    const usage = {
      ...{ prompt_tokens: 200, completion_tokens: 4, total_tokens: 204 },
      prompt_tokens_details: { cached_tokens: asked++ === 0 ? 0 : 50 },
    }
    const message = { role: 'assistant', content: 'High at nine.' }
    return {
      status: 200,
      body: { id: 'x', choices: [{ index: 0, message, finish_reason: 'stop' }], usage },
    }
  })
  served = await serveInspector({
    ...{ isEmpty: true, price: '2.5 USD', window: undefined, reserve: undefined },
    upstream: openaiUpstream({ url: model.url, window: 8192 }),
  })
  const { say } = clientChat(served, 'harbour', {
    messages: [{ role: 'system', content: 'You know the harbour. '.repeat(30) }],
    model: 'm1',
    max_tokens: 77,
    tools: [tool],
  })
  for (const content of ['When is the tide?', 'And tomorrow?']) await say(content)
})
afterAll(async () => {
  await served.stop()
  await model.close()
})

it('says the same of the cache in every view: what the model reported, and that it did', async () => {
  const { page, faults } = await openPage(served, '/inspector')
  await page.getByText('25 %', { exact: true }).waitFor()
  await page.goto(`${served.url}/inspector/c/harbour/context`)
  const answer = page.getByRole('region', { name: 'What reached the model' })
  await answer.getByText(/^50 cached, as the model reported.* · 25 %$/).waitFor()
  await answer.getByText('150 new tokens').waitFor()
  await answer
    .getByText('Read again. The model server read most of the prompt again: the prompt changed at')
    .waitFor()
  expect(await page.getByRole('slider', { name: 'Turn' }).getAttribute('aria-valuetext')).toContain(
    '25 % cached',
  )
  await shoot(page, 'reported-context')
  await page.goto(`${served.url}/inspector/c/harbour/chat`)
  await page
    .getByText(/25 % cached, as the model reported/)
    .first()
    .waitFor()
  await page.goto(`${served.url}/inspector/c/harbour/over-time`)
  await page.getByRole('figure', { name: /^13 % was cached, as the model reported/ }).waitFor()
  const calls = page.getByRole('region', { name: 'All calls' })
  await calls.getByText('50 · 25 %').waitFor()
  await calls.getByText('0.0005 USD').first().waitFor()
  await expectNoAxeViolations(page)
  await shoot(page, 'reported-over-time')
  expect(faults).toEqual([])
})

it('shows the body that was sent, and says that it is that', async () => {
  const { page, faults } = await openPage(served, '/inspector/c/harbour/context?as=request')
  await page.getByText('As it was sent, value for value.').waitFor()
  const asked = model.requests.findLast(({ path }) => path.endsWith('/chat/completions'))
  const text = page.getByRole('region', { name: 'What was sent, as JSON' })
  expect(JSON.parse(await text.innerText())).toEqual(asked!.body)
  expect(await page.getByText('the model has reported none').count()).toBe(0)
  await shoot(page, 'request')
  expect(faults).toEqual([])
})
