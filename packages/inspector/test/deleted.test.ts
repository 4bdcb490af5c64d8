import { afterAll, beforeAll, expect, it } from 'vitest'
import { row } from './chat-page.ts'
import { clientChat } from './client-chat.ts'
import {
  expectNoAxeViolations,
  narrow,
  openPage,
  type ServedInspector,
  serveInspector,
  shoot,
} from './open-inspector.ts'

/** A client that sends all of its list, and at its fifth turn without the exchange that had the PIN. */
let served: ServedInspector
beforeAll(async () => {
  served = await serveInspector({ isEmpty: true })
  const { messages, say } = clientChat(served, 'shed', { model: 'reader' })
  for (const text of ['Hello.', 'My PIN is 7731.', 'Thanks.', 'The gate is green.']) await say(text)
  messages.splice(2, 2)
  await say('Which colour is the gate?')
})
afterAll(() => served.stop())

it('says in the chat and in Context which messages the client deleted, and when', async () => {
  const { page, faults } = await openPage(served, '/inspector/c/shed/chat')
  const words = 'Deleted by the client at turn 5: no longer sent'
  await row(page, /You, message 3/)
    .getByText(words)
    .waitFor()
  await row(page, /Reply, message 4/)
    .getByText(words)
    .waitFor()
  expect(await page.getByText(words).count()).toBe(2)
  await expectNoAxeViolations(page)
  await shoot(page, 'deleted-chat')
  await page.emulateMedia({ colorScheme: 'dark' })
  await shoot(page, 'deleted-chat-dark')
  await page.goto(`${served.url}/inspector/c/shed/context?entry=3`)
  await page.getByRole('heading', { name: /#3/ }).waitFor()
  await shoot(page, 'deleted-context')
  await page
    .getByText(/deleted by its client at turn 5/i)
    .first()
    .waitFor()
  await shoot(page, 'deleted-context')
  await page.setViewportSize(narrow)
  await shoot(page, 'deleted-context-390')
  await page.goto(`${served.url}/inspector/c/shed/chat`)
  await page.getByText(words).first().waitFor()
  await shoot(page, 'deleted-chat-390')
  expect(faults).toEqual([])
})
