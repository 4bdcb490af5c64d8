import { openaiUpstream } from '@throughline/server/upstream/model-servers'
import { openaiAnswer, startUpstream } from '@throughline/test-tools/scripted-upstream'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { clientChat } from './client-chat.ts'
import {
  expectNoAxeViolations,
  narrow,
  openPage,
  type ServedInspector,
  serveInspector,
  shoot,
} from './open-inspector.ts'

let served: ServedInspector
let model: Awaited<ReturnType<typeof startUpstream>>

const pages = 'The tide came in over the mud flats, and the boats rose slowly at their chains.'

/** What the model of the test answers: the right fact, wherever it stood. */
function answerTo(question: string): string {
  if (question.endsWith('boat called?')) return 'Your boat is called Heron.'
  return 'Noted.'
}

beforeAll(async () => {
  model = await startUpstream(({ path, body }) => {
    if (!path.endsWith('/chat/completions')) return { status: 404, body: {} }
    const { messages } = body as { readonly messages: readonly { readonly content: string }[] }
    return openaiAnswer([{ content: answerTo(messages.at(-1)!.content) }])
  })
  served = await serveInspector({
    ...{ isEmpty: true, shadow: true, price: '2.5 USD', window: undefined, reserve: undefined },
    upstream: openaiUpstream({ url: model.url, window: 1200 }),
  })
  const { say } = clientChat(served, 'harbour')
  for (const text of ['Good morning.', 'My boat is called Heron.']) await say(text)
  for (let at = 0; at < 30; at++) await say(`${pages} Page ${at}.`)
  await say('What is my boat called?')
})
afterAll(async () => {
  await served.stop()
  await model.close()
})

it('says on every view that all bytes pass, and what would have been sent and saved', async () => {
  for (const [view, shown] of [
    ['chat', 'What is my boat called?'],
    ['over-time', 'Would have been saved'],
    ['context', 'Passed as it came'],
  ] as const) {
    const { page, faults } = await openPage(served, `/inspector/c/harbour/${view}`)
    await page.getByText('Every byte passes as it came; nothing is cut or added.').waitFor()
    await page.getByText(shown).first().waitFor()
    expect(faults).toEqual([])
  }
})

it('shows what was passed, ours and the tail beside each other, and whose message the answer used', async () => {
  const { page, faults } = await openPage(served, '/inspector/c/harbour/context')
  const panel = page.getByRole('region', { name: 'Shadow' })
  const { calls } = (await (
    await served.ask('GET', '/conversations/harbour/calls?limit=1')
  ).json()) as {
    readonly calls: readonly [
      { readonly shadow: { tokens: number; wouldTokens: number; messages: number } },
    ]
  }
  const { tokens, wouldTokens, messages } = calls[0].shadow
  const number = (amount: number) => amount.toLocaleString('en')
  await panel
    .getByText(`${number(messages)} messages, ${number(tokens)} tokens`)
    .first()
    .waitFor()
  await panel.getByText(`${number(tokens - wouldTokens)} saved`).waitFor()
  await panel.getByText(/0\.\d+ USD/).waitFor()
  await panel.getByText('We would have had it, the tail not.').waitFor()
  for (const name of ['Passed as it came', 'We would have sent', 'The tail, same room'])
    await panel.getByRole('img', { name: new RegExp(`^${name}: `) }).waitFor()
  await expectNoAxeViolations(page)
  await shoot(page, 'shadow-context')
  await page.setViewportSize(narrow)
  await shoot(page, 'shadow-context-narrow')
  expect(faults).toEqual([])
})

it('adds up what would have been saved, and leads to the answers that used what one of both lacked', async () => {
  const { page, faults } = await openPage(served, '/inspector/c/harbour/over-time')
  const sums = page.getByLabel('Shadow')
  await sums.getByText(/^[\d,]+ of [\d,]+ tokens$/).waitFor()
  await expectNoAxeViolations(page)
  await shoot(page, 'shadow-over-time')
  await sums.getByRole('link', { name: 'turn 33' }).click()
  await page.waitForURL('**/context?**entry=3**')
  expect(faults).toEqual([])
})

it('says it in the row of the conversation', async () => {
  const { page, faults } = await openPage(served, '/inspector')
  await page.getByText(/^Shadow: passes as it came; \d+ of 65 would have been sent$/).waitFor()
  await shoot(page, 'shadow-row')
  expect(faults).toEqual([])
})
