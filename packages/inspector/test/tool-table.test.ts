import { toLines } from '@throughline/test-tools/sample-lines'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { argumentsOf, toolRunsOf } from '../src/views/tools/tool-runs.ts'
import {
  expectNoAxeViolationsInThemes,
  narrow,
  openPage,
  type ServedInspector,
  serveInspector,
  shoot,
} from './open-inspector.ts'

let served: ServedInspector
beforeAll(async () => {
  served = await serveInspector({ isEmpty: true })
})
afterAll(() => served.stop())

const called = (id: string, name: string, input: string) => ({
  ...{ id, type: 'function' },
  function: { name, arguments: input },
})

it('finds the result of each call: in order, also of several at once, and none that is owed', () => {
  const roles = ['user', 'assistant', 'tool', 'tool', 'assistant', 'tool', 'assistant']
  const calls = [undefined, ['a', 'b'], undefined, undefined, ['c', 'd'], undefined, undefined]
  const entries = roles.map((role, at) => ({ seq: at + 1, role, calls: calls[at] }))
  expect(toolRunsOf(entries).map(({ number, tool, result }) => [number, tool, result])).toEqual([
    ...[[1, 'a', 3] as const, [2, 'b', 4] as const],
    ...[[3, 'c', 6] as const, [4, 'd', undefined] as const],
  ])
  const message = {
    role: 'assistant',
    tool_calls: [called('1', 'a', '{"n":1}'), called('2', 'b', '{"n":2}')],
  }
  expect(argumentsOf(message, 1)).toBe('{"n":2}')
  const content = [
    { type: 'text', text: 'So.' },
    { type: 'tool-call', toolName: 'a', input: { n: 3 } },
  ]
  expect(argumentsOf({ role: 'assistant', content }, 0)).toBe('{"n":3}')
})

it('has a row for each of three hundred calls, with what was asked, what came and what became of it', async () => {
  const chat = [
    { role: 'user', content: 'Read all the logbooks.' },
    ...Array.from({ length: 301 }, (_, at) => [
      {
        role: 'assistant',
        content: '',
        tool_calls: [called(`c${at}`, 'read_book', `{"book":${at}}`)],
      },
      { role: 'tool', tool_call_id: `c${at}`, content: `Book ${at}: calm sea and light wind.` },
    ]).flat(),
    { role: 'assistant', content: 'All are read.' },
  ]
  const lines = toLines(chat, { conversation: 'books', title: 'Logbooks' })
  expect((await served.ask('POST', '/import', lines)).ok).toBe(true)
  const { page, faults } = await openPage(served, '/inspector/c/books/tools')
  await page.getByRole('heading', { name: '301 tool calls, the newest first' }).waitFor()
  const rows = page.locator('tbody tr')
  expect(await rows.count()).toBe(300)
  const first = rows.first()
  await first.getByText('Book 300: calm sea and light wind.').waitFor()
  await first.getByText('kept').waitFor()
  expect((await first.locator('td, th').allInnerTexts()).map(text => text.trim())).toEqual([
    ...['301', 'read_book', '{"book":300}', 'Book 300: calm sea and light wind.'],
    ...[expect.stringMatching(/^\d+$/), 'kept', '#603'],
  ])
  await first.getByRole('button', { name: 'read_book' }).click()
  expect(await rows.nth(1).locator('pre').allInnerTexts()).toEqual([
    '{"book":300}',
    'Book 300: calm sea and light wind.',
  ])
  await expectNoAxeViolationsInThemes(page, 'tools')
  await page.getByText('1 to 300 of 301').waitFor()
  await page.getByRole('button', { name: 'Older' }).click()
  await rows.first().getByText('Book 0: calm sea and light wind.').waitFor()
  expect(await rows.count()).toBe(1)
  await page.getByText('301 to 301 of 301').waitFor()
  await page.getByRole('button', { name: 'Newer' }).click()
  await first.getByText('Book 300: calm sea and light wind.').first().waitFor()
  await page.setViewportSize(narrow)
  await shoot(page, 'tools-narrow')
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(narrow.width)
  await rows.nth(2).getByRole('link', { name: '#601' }).click()
  await page.waitForURL('**/context?entry=601')
  expect(faults).toEqual([])
})
