import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createHistory } from '@throughline/history'
import { toLines } from '@throughline/test-tools/sample-lines'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  expectNoAxeInLong,
  expectNoAxeViolations,
  expectNoAxeViolationsInThemes,
  expectSaid,
  isLong,
  narrow,
  openPage,
  type ServedInspector,
  sample,
  serveInspector,
  shoot,
} from './open-inspector.ts'
import { fillList, longName } from './sample-list.ts'

let served: ServedInspector
beforeAll(async () => {
  served = await serveInspector()
  await fillList(served)
})
afterAll(() => served.stop())

/** The names in the list, from the first. */
const namesIn = (page: Page) =>
  page
    .getByRole('row')
    .locator('a')
    .evaluateAll(links =>
      links
        .map(link => ({ name: link.textContent ?? '', top: link.getBoundingClientRect().top }))
        .sort((a, b) => a.top - b.top)
        .map(({ name }) => name),
    )

const rowOf = (page: Page, name: string): Locator =>
  page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) })

const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent)

async function openList(path = '', options = {}) {
  const opened = await openPage(served, `/inspector${path}`, options)
  await opened.page.getByRole('heading', { level: 1, name: /conversation/ }).waitFor()
  await opened.page.getByRole('link', { name: 'Server live: reader' }).waitFor()
  return opened
}

describe('the list of conversations', () => {
  it('says of each who it came from, how full its window is and what is wrong', async () => {
    const { page, faults } = await openList()
    await page.getByRole('heading', { name: '11 conversations' }).waitFor()
    const toad = rowOf(page, 'Toad patrol')
    await toad.getByText(/^4\d\d not sent$/).waitFor()
    await toad.getByRole('img', { name: /[1-3],\d\d\d of 4,096 tokens/ }).waitFor()
    await toad.getByRole('cell', { name: /^169 ?525 messages$/ }).waitFor()
    await rowOf(page, longName).getByText('it read 7 of 48 tokens').waitFor()
    await rowOf(page, 'Site editor').getByText('Failed (model_unavailable)').waitFor()
    await rowOf(page, 'The lamp')
      .getByRole('img', { name: /^Interrupted/ })
      .waitFor()
    await rowOf(page, 'Harbour master').getByRole('img', { name: 'Answering' }).waitFor()
    // Nothing was sent of it yet: its window is as it would be.
    await rowOf(page, 'The lamp').getByText('if sent now').waitFor()
    await rowOf(page, 'The lamp')
      .getByText(/^\d kept$/)
      .waitFor()
    await expectNoAxeViolationsInThemes(page, 'list')
    expect(faults).toEqual([])
  })

  it('tells why a request was taken for this conversation', async () => {
    const { page, faults } = await openList()
    await rowOf(page, 'The boat is called Seagull.')
      .getByRole('button', { name: 'Zed went on' })
      .click()
    const about = page.getByRole('dialog')
    await about.getByText('It goes on after everything that was said before').waitFor()
    await about.getByText('Zed, over the chat API of OpenAI').waitFor()
    await expectNoAxeInLong(page)
    await shoot(page, 'list-client')
    await about.getByRole('link', { name: 'message 3' }).click()
    await page.waitForURL(/\/c\/[0-9a-f-]+\/context\?entry=3$/)
    expect(faults).toEqual([])
  })

  it('filters by what it shows, by standing and by client; the address has it', async () => {
    const { page, faults } = await openList()
    await page.keyboard.press('/')
    await page.keyboard.type('両生類')
    await page.getByRole('heading', { name: '1 of 11 conversations' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'With a warning 2' }).click()
    await expect.poll(() => namesIn(page)).toEqual(['Site editor', longName])
    await page.waitForURL(/\/inspector\/?\?show=trouble$/)
    await page.keyboard.press('Escape')
    await page.getByRole('heading', { name: '11 conversations' }).waitFor()
    await page.getByRole('button', { name: 'Any client' }).click()
    await page.getByRole('menuitem', { name: 'Open WebUI 1' }).click()
    await page.waitForURL(/\/inspector\/?\?client=open-webui$/)
    expect(await namesIn(page)).toHaveLength(1)
    await page.reload()
    await page.getByRole('heading', { name: '1 of 11 conversations' }).waitFor()
    await page.getByRole('button', { name: 'From any client' }).click()
    await page.keyboard.press('/')
    await page.keyboard.type('nothing is called that')
    await page.getByText('None of 11 conversations is like that.').waitFor()
    await expectNoAxeInLong(page)
    await page.keyboard.press('Enter')
    await page.waitForURL('**/search?q=nothing+is+called+that')
    expect(faults).toEqual([])
  })

  it.runIf(isLong)('is used by keys alone', async () => {
    const { page, faults } = await openList()
    const names = await namesIn(page)
    await page.keyboard.press('j')
    expect(await focused(page)).toBe(names[0])
    await page.keyboard.press('j')
    await page.keyboard.press('ArrowDown')
    expect(await focused(page)).toBe(names[2])
    await page.keyboard.press('End')
    expect(await focused(page)).toBe(names.at(-1))
    await page.keyboard.press('Home')
    // One tab stop for the list, then what belongs to its row.
    await page.keyboard.press('Tab')
    expect(await focused(page)).toBe('Experiment')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: /^Export/ }).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('j')
    for (const [key, view] of [
      ['c', 'chat'],
      ['o', 'over-time'],
      ['Enter', 'context'],
    ] as const) {
      await rowOf(page, 'Toad patrol').getByRole('link').focus()
      await page.keyboard.press(key)
      await page.waitForURL(`**/c/${sample}/${view}`)
      await page.goBack()
      await page.getByRole('table').waitFor()
    }
    expect(faults).toEqual([])
  })

  it.runIf(isLong)('stands on a narrow screen', async () => {
    const { page, faults } = await openList('', { viewport: narrow })
    await rowOf(page, 'Toad patrol').getByRole('button', { name: 'API or import' }).waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(narrow.width)
    const widths = await page.getByRole('row').evaluateAll(rows => rows.map(row => row.scrollWidth))
    expect(Math.max(...widths)).toBeLessThanOrEqual(narrow.width)
    await expectNoAxeInLong(page)
    await shoot(page, 'list-narrow')
    expect(faults).toEqual([])
  })

  it('exports exactly what the API exports', async () => {
    const { page, faults } = await openList()
    const coming = page.waitForEvent('download')
    await rowOf(page, 'Toad patrol').getByRole('button', { name: 'More for Toad patrol' }).click()
    await expectSaid(page, 'Toad patrol was exported.', () =>
      page.getByRole('menuitem', { name: /^Export/ }).click(),
    )
    const file = await coming
    expect(file.suggestedFilename()).toBe(`${sample}.jsonl`)
    const exported = await (await served.ask('GET', `/conversations/${sample}/export`)).text()
    const path = join(mkdtempSync(join(tmpdir(), 'throughline-export-')), 'export.jsonl')
    await file.saveAs(path)
    expect(readFileSync(path, 'utf8')).toBe(exported)
    rmSync(dirname(path), { recursive: true })
    expect(faults).toEqual([])
  })
})

describe('while others write', () => {
  it('moves a row up without taking the focus, and shows a turn while it is open', async () => {
    const { page, faults } = await openList()
    await rowOf(page, 'Site editor').getByRole('link').focus()
    const says = async (name: string, input: string) =>
      (
        await served.ask('POST', `/conversations/${encodeURIComponent(name)}/send`, { input })
      ).text()
    await says(longName, 'It is Firefox.')
    await expect.poll(async () => (await namesIn(page))[0]).toBe(longName)
    expect(await focused(page)).toBe('Site editor')
    await rowOf(page, longName)
      .getByText(/Firefox/)
      .waitFor()
    // Of another process: it is heard of within a second.
    const begun = await createHistory({ store: served.store })
      .thread('Site editor')
      .begin({ role: 'user', content: 'Once more.' })
    await expect.poll(async () => (await namesIn(page))[0]).toBe('Site editor')
    await rowOf(page, 'Site editor').getByRole('img', { name: 'Answering' }).waitFor()
    expect(await focused(page)).toBe('Site editor')
    if (begun.kind === 'begun') await begun.turn.fail('model_unavailable')
    await rowOf(page, 'Site editor').getByText('Failed (').waitFor()
    await says('brand new', 'Hello!')
    await expect.poll(async () => (await namesIn(page))[0]).toBe('brand new')
    expect(await focused(page)).toBe('Site editor')
    await served.ask('DELETE', '/conversations/brand%20new')
    await rowOf(page, 'brand new').waitFor({ state: 'detached' })
    expect(faults).toEqual([])
  })

  it('draws few rows of many, reads on as they are needed, and keeps its place', async () => {
    const many = isLong ? 10_080 : 240
    const full = await serveInspector({ isEmpty: true })
    for (let from = 0; from < many; from += 120) {
      const lines = Array.from({ length: 120 }, (_, at) => linesOf(from + at)).join('')
      expect((await full.ask('POST', '/import', lines)).status).toBe(200)
    }
    const { page, faults } = await openPage(full)
    await page.getByRole('heading', { name: '100+ conversations' }).waitFor()
    expect(await page.getByRole('row').count()).toBeLessThan(40)
    await page.keyboard.press('j')
    // Down to the last of all, page by page.
    await expect
      .poll(
        async () => {
          await page.keyboard.press('End')
          return focused(page)
        },
        { timeout: 900_000 },
      )
      .toBe('Talk 0')
    expect(await page.getByRole('row').count()).toBeLessThan(40)
    await page
      .getByRole('heading', { name: `${many.toLocaleString('en')} conversations` })
      .waitFor()
    // In the middle, what is being read stays where it is when a row from below goes up.
    await page.getByRole('link', { name: 'Server live: reader' }).waitFor()
    await page
      .getByRole('table')
      .evaluate(table => table.parentElement!.scrollTo({ top: 56 * 100 }))
    const read = rowOf(page, `Talk ${many - 1 - 105}`)
    const place = () => read.evaluate(row => row.getBoundingClientRect().top)
    const before = await read.waitFor().then(place)
    await (await full.ask('POST', `/conversations/c-${many - 9}/send`, { input: 'Hello!' })).text()
    await (await full.ask('POST', '/conversations/c-2/send', { input: 'Hello!' })).text()
    const shown = () => page.getByRole('table').evaluate(table => table.parentElement!.scrollTop)
    await expect.poll(shown).toBe(56 * 101)
    expect(await place()).toBe(before)
    expect(await focused(page)).toBe('Talk 0')
    await page.keyboard.press('Home')
    await expect.poll(() => focused(page)).toBe('Talk 2')
    expect((await namesIn(page)).slice(0, 2)).toEqual(['Talk 2', `Talk ${many - 9}`])
    expect(faults).toEqual([])
    await full.stop()
  })
})

const linesOf = (number: number) =>
  toLines(
    [
      {
        role: 'user',
        content: `Question ${number}`,
        time: new Date(1.77e12 + number * 60_000).toISOString(),
      },
      { role: 'assistant', content: `Answer ${number}` },
    ] as never,
    { conversation: `c-${number}`, title: `Talk ${number}` },
  )

describe('deleting', () => {
  it('asks by name, by keys alone, and moves on to the next row', async () => {
    const fresh = await serveInspector({ isEmpty: true })
    for (const number of [1, 2, 3]) await fresh.ask('POST', '/import', linesOf(number))
    const { page, faults } = await openPage(fresh)
    await page.getByRole('heading', { name: '3 conversations' }).waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('Delete')
    const dialog = page.getByRole('alertdialog', { name: 'Delete “Talk 2”?' })
    await dialog.getByText('2 messages').waitFor()
    await expectNoAxeViolations(page)
    await shoot(page, 'list-delete')
    // What has the focus first does no harm.
    await expect.poll(() => focused(page)).toBe('Keep it')
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await expect.poll(() => focused(page)).toBe('Talk 2')
    await page.keyboard.press('Delete')
    await expect.poll(() => focused(page)).toBe('Keep it')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await expect.poll(() => focused(page)).toBe('Talk 2')
    await page.keyboard.press('Delete')
    await expect.poll(() => focused(page)).toBe('Keep it')
    await page.keyboard.press('Tab')
    await expectSaid(page, 'Talk 2 was deleted.', () => page.keyboard.press('Enter'))
    await expect.poll(() => namesIn(page)).toEqual(['Talk 3', 'Talk 1'])
    await expect.poll(() => focused(page)).toBe('Talk 1')
    expect((await fresh.ask('GET', '/conversations/c-2')).status).toBe(404)
    // Another tab deletes the rest: this one shows what to begin with.
    await fresh.ask('DELETE', '/conversations/c-1')
    await fresh.ask('DELETE', '/conversations/c-3')
    await page.getByText('There is nothing here yet.').waitFor()
    expect(faults).toEqual([])
    await fresh.stop()
  })

  it('is not offered to a key that may not', async () => {
    const locked = await serveInspector({ apiKeys: ['a-key-of-sixteen-characters'] })
    const made = await locked.ask('POST', '/keys', { name: 'looks on', scopes: ['read'] })
    const { key } = (await made.json()) as { key: string }
    const { page, faults } = await openPage(locked)
    await page.getByLabel('Key', { exact: true }).fill(key)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'More for Toad patrol' }).click()
    const item = page.getByRole('menuitem', { name: 'Delete… needs the scope admin' })
    await expect.poll(() => item.getAttribute('aria-disabled')).toBe('true')
    await page.getByRole('menuitem', { name: 'Export needs the scope inspect' }).waitFor()
    expect(await page.getByRole('button', { name: 'New' }).count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Import', exact: true }).count()).toBe(0)
    await page.keyboard.press('Escape')
    await page.keyboard.press('j')
    await page.keyboard.press('Delete')
    expect(await page.getByRole('alertdialog').count()).toBe(0)
    expect(faults).toEqual([])
    await locked.stop()
  })
})

it.runIf(isLong)(
  'shows names, titles, metadata and messages as text, whatever they are',
  async () => {
    const attack = `<img src=x onerror="document.title='in'"><script>document.title='in'</script>`
    const link = `[here](javascript:document.title='in')`
    const evil = await serveInspector({ isEmpty: true })
    const conversation = `evil/../${attack}?#%00`
    const lines = toLines([{ role: 'user', content: `${attack} ${link}` }] as never, {
      conversation,
      title: `javascript:alert(1) ${attack}`,
    })
    expect((await evil.ask('POST', '/import', lines)).status).toBe(200)
    const path = `/conversations/${encodeURIComponent(conversation)}`
    await evil.ask('PATCH', path, { metadata: { [attack]: link } })
    const { page, faults } = await openPage(evil)
    await page.getByText(`javascript:alert(1) ${attack}`).waitFor()
    await page.getByText(`${attack} ${link}`).waitFor()
    await page.getByRole('button', { name: 'API or import' }).click()
    await page.getByRole('dialog').getByText(conversation).waitFor()
    await page.getByRole('dialog').getByText(link).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('j')
    await page.keyboard.press('Delete')
    await page.getByRole('alertdialog').getByText(conversation).waitFor()
    expect(await page.locator('img, script:not([src]), iframe').count()).toBe(0)
    const links = await page
      .locator('a')
      .evaluateAll(all => all.map(one => (one as HTMLAnchorElement).href))
    expect(links.filter(one => !one.startsWith(`${evil.url}/inspector`))).toEqual([])
    await page.keyboard.press('Escape')
    const coming = page.waitForEvent('download')
    await page.keyboard.press('e')
    expect((await coming).suggestedFilename()).toMatch(/^[^<>:"/\\|?*]+\.jsonl$/)
    await page.keyboard.press('Enter')
    await page.waitForURL('**/context')
    expect(await page.title()).not.toBe('in')
    await page.goto(`${evil.url}/inspector`)
    await page.getByRole('table').waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('option', { name: `javascript:alert(1) ${attack}` }).waitFor()
    expect(faults).toEqual([])
    await evil.stop()
  },
)
