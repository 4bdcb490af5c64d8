import { toLines } from '@throughline/test-tools/sample-lines'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  expectNoAxeViolations,
  narrow,
  openPage,
  type ServedInspector,
  serveInspector,
  shoot,
} from './open-inspector.ts'

let served: ServedInspector
beforeAll(async () => {
  served = await serveInspector({ isEmpty: true, window: 2048, reserve: 256 })
  const talk = Array.from({ length: 40 }, (_, n) => [
    {
      role: 'user',
      content: `What of day ${n}? ${'The wind was fair and the sea was calm. '.repeat(4)}`,
    },
    { role: 'assistant', content: `Day ${n}: ${'the log was kept as it should be. '.repeat(6)}` },
  ]).flat()
  const messages = [
    ...talk.slice(0, 2),
    {
      role: 'user',
      content: 'It is 555-0199. Never put my phone number into a file. What is the tide?',
    },
    { role: 'assistant', content: 'Low.' },
    { role: 'user', content: 'From now on, end every reply with the tide.' },
    { role: 'assistant', content: 'I will.' },
    ...talk.slice(2),
    { role: 'user', content: 'And now?' },
  ]
  const lines = toLines(messages, { conversation: 'ship', title: 'Ship' })
  expect((await served.ask('POST', '/import', lines)).ok).toBe(true)
})
afterAll(() => served.stop())

it('are shown in Context with where each was said, and are kept and removed from there', async () => {
  const { page, faults } = await openPage(served, '/inspector/c/ship/context')
  const list = page.getByRole('tree', { name: 'Messages in the order of the prompt' })
  await list.getByText('rules', { exact: true }).waitFor()
  await list.getByText('said in #3, #5').waitFor()
  await list.getByText('From now on, end every reply with the tide.', { exact: true }).waitFor()
  await list.getByText('Never put my phone number into a file.', { exact: true }).click()
  await page.getByText('Standing rule, said in #3').first().waitFor()
  await expectNoAxeViolations(page)
  await shoot(page, 'rules-light')
  await page.emulateMedia({ colorScheme: 'dark' })
  await shoot(page, 'rules-dark')
  await page.setViewportSize(narrow)
  await shoot(page, 'rules-390')
  await page.setViewportSize({ width: 1440, height: 900 })

  const hands = page.getByRole('group', { name: 'What to do with #3' })
  await hands.getByRole('button', { name: 'Hide' }).click()
  await page.getByRole('heading', { name: /^B (drops|adds)/ }).waitFor()
  const rulesAt = async () => {
    const response = await served.ask('GET', '/conversations/ship/context?hands=now')
    const { sent } = (await response.json()) as {
      readonly sent: readonly { readonly part: string; readonly text?: string }[]
    }
    return sent.find(({ part }) => part === 'rules')?.text ?? ''
  }
  expect(await rulesAt()).not.toContain('phone number')
  expect(await rulesAt()).toContain('end every reply')
  await hands.getByRole('button', { name: 'Show again' }).click()
  await hands.getByRole('button', { name: 'Pin' }).click()
  await page.getByText('Kept: pinned by you').waitFor()
  expect(faults).toEqual([])
})
