import { readFileSync } from 'node:fs'
import { join } from 'node:path'
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
  sample,
  serveInspector,
  shoot,
} from './open-inspector.ts'

/** The first turns of the project chat. */
const march = 'toads-in-march'

let served: ServedInspector
beforeAll(async () => {
  served = await serveInspector()
  const chat = JSON.parse(readFileSync(file, 'utf8')) as readonly { readonly role: string }[]
  const lines = toLines(chat.slice(0, 154), { conversation: march, title: 'Toads in March' })
  expect((await served.ask('POST', '/import', lines)).ok).toBe(true)
})
afterAll(() => served.stop())

const file = join(import.meta.dirname, '../../../examples/project-chat.json')

interface Context {
  readonly at: number
  readonly tokens: number
  readonly window: number
  readonly counts: Readonly<Record<string, number>>
  readonly prefix: { readonly tokens: number; readonly share: number }
  readonly stretches: readonly {
    readonly first: number
    readonly last: number
    readonly fate: string
  }[]
}

/** The last place at which a model was asked, and the one before it. */
const places: Readonly<Record<string, string>> = {
  [sample]: 'at=523&since=521',
  [march]: 'at=153&since=151',
}

async function contextOf(query: string, conversation = march): Promise<Context> {
  const path = `/conversations/${conversation}/context?${places[conversation]}&messages=false&${query}`
  return (await served.ask('GET', path)).json()
}

function fatesOf({ stretches, at }: Context): readonly string[] {
  const fates = new Array<string>(at + 1).fill('omitted')
  for (const { first, last, fate } of stretches) fates.fill(fate, Math.max(1, first), last + 1)
  return fates.slice(1)
}

const address = `/inspector/c/${march}/context`
const both = `${address}?a=4096.balanced&b=4096.sliding-50`
const number = (amount: number) => amount.toLocaleString('en')
const heading = (page: Page) => page.getByRole('heading', { level: 1 }).innerText()
const side = (page: Page, letter: string) => page.getByRole('region', { name: letter, exact: true })
const list = (page: Page, letter: string) =>
  page.getByRole('tree', { name: `Messages of ${letter} in the order of the prompt` })

describe('the comparison in Context', () => {
  it('answers what B drops and adds, with the figures of the API, and axe finds nothing in both themes', async () => {
    const a = await contextOf('policy=balanced', sample)
    const b = await contextOf('policy=sliding-50', sample)
    const { page, faults } = await openPage(served, `/inspector/c/${sample}/context?entry=21`)
    await page.getByRole('button', { name: 'Compare with …' }).click()
    await page.waitForURL('**/context?entry=21&b=4096.sliding-50')
    const [one, other] = [fatesOf(a), fatesOf(b)]
    const dropped = one.filter((fate, at) => fate !== 'omitted' && other[at] === 'omitted').length
    const added = one.filter((fate, at) => fate === 'omitted' && other[at] !== 'omitted').length
    await page
      .getByRole('heading', { level: 1, name: `B drops ${dropped} messages, adds ${added}` })
      .waitFor()
    for (const [letter, { tokens, prefix, counts }] of Object.entries({ A: a, B: b })) {
      await side(page, letter)
        .getByText(`${number(tokens)} of 4,096 tokens`)
        .waitFor()
      await side(page, letter)
        .getByText(`${523 - counts.omitted!} messages`)
        .waitFor()
      await side(page, letter)
        .getByText(`${number(tokens - prefix.tokens)} new`, { exact: true })
        .waitFor()
    }
    await side(page, 'A')
      .getByText(`${number(a.tokens - a.prefix.tokens)} new`, { exact: true })
      .click()
    await page.getByText(`${Math.round(100 * a.prefix.share)} % would be a cached prefix`).waitFor()
    await page.keyboard.press('Escape')
    await list(page, 'A')
      .getByRole('treeitem', { name: 'Also, at the end of all this', selected: true })
      .waitFor()
    await page.getByText('asked for: six, figure, grid').waitFor()
    await page.getByText('Not sent: older than the last 50 messages').waitFor()
    const cells = page
      .getByRole('table')
      .getByRole('button', { name: /^([AB]: )?balanced.*brought back/ })
    await expect.poll(() => cells.count()).toBe(5)
    await expectNoAxeViolationsInThemes(page, 'compare')
    await page.getByRole('button', { name: 'End comparison' }).click()
    await page.waitForURL('**/context?entry=21')
    await page.getByRole('heading', { name: 'Brought back #21' }).waitFor()
    expect(faults).toEqual([])
  })

  it('follows the policy, the window and the matrix; addresses open the same, and back leads back', async () => {
    const { page, faults } = await openPage(served, both)
    await page.getByRole('heading', { name: /^B (drops|adds)/ }).waitFor()
    const first = await heading(page)
    await side(page, 'B').getByRole('button', { name: 'sliding 50' }).click()
    await page.getByRole('menuitemradio', { name: /stable/ }).click()
    await page.waitForURL('**/context?a=4096.balanced&b=4096.stable')
    await expect.poll(() => heading(page)).not.toBe(first)
    const stable = await heading(page)

    const windowOfB = page.getByRole('textbox', { name: 'Window of B' })
    await windowOfB.fill('0')
    await page.getByRole('alert').filter({ hasText: 'A whole number from 1 to' }).waitFor()
    await windowOfB.fill('5000')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/context?a=4096.balanced&b=5000.stable')
    const { tokens } = await contextOf('policy=stable&window=5000')
    await page.getByText(`${number(tokens)} of 5,000 tokens`).waitFor()
    await page.getByRole('columnheader', { name: '5,000 tokens' }).waitFor()

    await page.getByRole('button', { name: /^thorough at 8,192/ }).click({ modifiers: ['Shift'] })
    await page.waitForURL('**/context?a=8192.thorough&b=5000.stable')
    const thorough = await contextOf('policy=thorough&window=8192')
    await page.getByText(`${number(thorough.tokens)} of 8,192 tokens`).waitFor()
    await page.goBack()
    await page.goBack()
    await page.waitForURL('**/context?a=4096.balanced&b=4096.stable')
    await expect.poll(() => heading(page)).toBe(stable)

    const shared = await openPage(served, new URL(page.url()).pathname + new URL(page.url()).search)
    await expect.poll(() => heading(shared.page)).toBe(stable)
    expect(faults).toEqual([])
    expect(shared.faults).toEqual([])
  })

  it.runIf(isLong)('is used with keys only', async () => {
    const { page, faults } = await openPage(served, both)
    await page.getByRole('heading', { name: 'B drops' }).waitFor()
    const a = fatesOf(await contextOf('policy=balanced'))
    const b = fatesOf(await contextOf('policy=sliding-50'))
    const differing = a.findIndex((fate, at) => fate !== b[at]) + 1
    await page.keyboard.press('j')
    await page.waitForURL(`**&entry=${differing}`)
    await page.getByRole('complementary', { name: `Entry ${differing}` }).waitFor()
    await page.keyboard.press('Escape')
    await page.waitForURL('**/context?a=4096.balanced&b=4096.sliding-50')
    const [, dropped, added] = /drops (\d+) messages, adds (\d+)/.exec(await heading(page))!
    await page.keyboard.press('s')
    await page.waitForURL('**/context?a=4096.sliding-50&b=4096.balanced')
    await page
      .getByRole('heading', { name: `B drops ${added} messages, adds ${dropped}` })
      .waitFor()
    await page.keyboard.press('ArrowLeft')
    await page.waitForURL('**&turn=50')
    await page.getByText('Turn 50', { exact: true }).waitFor()

    await page.getByRole('button', { name: /^B: balanced at 4,096/ }).focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/context?a=4096.sliding-50&b=8192.thorough&turn=50')

    await page.getByRole('textbox', { name: 'Window of A' }).focus()
    await page.keyboard.type('2048')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/context?a=2048.sliding-50&b=8192.thorough&turn=50')
    await page.getByText(/of 2,048 tokens/).waitFor()
    // What is typed is one step of the history.
    await page.goBack()
    await page.waitForURL('**/context?a=4096.sliding-50&b=8192.thorough&turn=50')
    // The first leaves the field.
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await page.waitForURL('**/context?turn=50')
    expect(faults).toEqual([])
  })

  it('takes effort, notes and a system prompt, and shows them in the address and as code', async () => {
    const { page, faults } = await openPage(served, `${address}?a=4096.balanced&b=4096.balanced`)
    await page.getByRole('heading', { name: 'A and B send the same' }).waitFor()
    await page.getByRole('button', { name: 'More settings of B' }).click()
    const settings = page.getByRole('dialog', { name: 'More settings of B' })
    await settings.getByRole('slider', { name: 'Effort' }).fill('90')
    await page.waitForURL('**b=4096.default.effort-90')
    const { tokens } = await contextOf('policy=default&effort=0.9')
    await page.getByText(`${number(tokens)} of 4,096 tokens`).waitFor()
    await page.getByText('policy: recall({ effort: 0.9 })').waitFor()
    await settings.getByRole('combobox', { name: 'Notes' }).selectOption('off')
    await page.waitForURL('**b=4096.default.effort-90.notes-off')
    await settings.getByRole('combobox', { name: 'System prompt' }).selectOption('other')
    await settings.getByRole('textbox', { name: 'System prompt of B' }).fill('Answer in rhymes.')
    await page.waitForURL('**.system-other&systemB=Answer+in+rhymes.')
    const rhymes = await contextOf(
      'policy=default&effort=0.9&notes=off&system=Answer%20in%20rhymes.',
    )
    await page.getByText(`${number(rhymes.tokens)} of 4,096 tokens`).waitFor()
    await expectNoAxeInLong(page)
    expect(faults).toEqual([])
  })

  it('says why a side cannot be made, and keeps the other', async () => {
    const { page, faults } = await openPage(served, `${address}?a=4096.balanced&b=4096.psychic`)
    await page.getByRole('alert').filter({ hasText: 'psychic' }).waitFor()
    await page.getByText(/\d of 4,096 tokens/).waitFor()
    await page.getByRole('heading', { level: 1, name: 'B cannot be made' }).waitFor()
    await expectNoAxeInLong(page)
    expect(faults).toEqual([])
  })

  it('makes the cells of a long log only on request', async () => {
    const chat = Array.from({ length: 4200 }, (_, at) => ({
      role: at % 2 === 0 ? 'user' : 'assistant',
      content: `message ${at}`,
    }))
    const lines = toLines(chat, { conversation: 'long', title: 'Long' })
    expect((await served.ask('POST', '/import', lines)).ok).toBe(true)
    const { page, faults } = await openPage(
      served,
      '/inspector/c/long/context?a=4096.stable&b=4096.sliding-20',
    )
    const asked: string[] = []
    page.on('request', request => asked.push(new URL(request.url()).pathname))
    await page.getByRole('heading', { level: 1, name: 'B drops' }).waitFor()
    await page.getByRole('button', { name: 'Make all choices' }).waitFor()
    expect(asked.filter(path => path.endsWith('/grid'))).toEqual([])
    // To make them takes the server longer than all else here.
    if (isLong) {
      await page.getByRole('button', { name: 'Make all choices' }).click()
      await page.getByRole('button', { name: /^thrifty at 2,048: \d+ messages? sent/ }).waitFor()
    }
    expect(faults).toEqual([])
  })

  it.runIf(isLong)('stands on a narrow screen, with long messages in other scripts', async () => {
    const long = '夜間の両生類調査の記録。'.repeat(40)
    const chat = Array.from({ length: 60 }, (_, at) => ({
      role: at % 2 === 0 ? 'user' : 'assistant',
      content: `${at} ${long}`,
    }))
    const lines = toLines(chat, { conversation: 'night', title: long.slice(0, 60) })
    expect((await served.ask('POST', '/import', lines)).ok).toBe(true)
    const { page, faults } = await openPage(
      served,
      '/inspector/c/night/context?entry=1&b=4096.sliding-50',
      {
        viewport: narrow,
        colorScheme: 'dark',
        hasTouch: true,
      },
    )
    await page
      .getByRole('heading', { level: 1, name: /A and B send the same|B (drops|adds|sends)/ })
      .waitFor()
    await page.getByRole('button', { name: /^B: / }).first().tap()
    await list(page, 'B').waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(narrow.width)
    await expectNoAxeInLong(page)
    await shoot(page, 'compare-narrow')
    expect(faults).toEqual([])
  })
})
