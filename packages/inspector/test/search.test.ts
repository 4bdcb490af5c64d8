import { toLines } from '@throughline/test-tools/sample-lines'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
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

const attack =
  '<img src=x onerror="document.title=1"> <script>document.title=2</script> javascript:document.title=3'

let served: ServedInspector
beforeAll(async () => {
  served = await serveInspector()
  const lines = toLines(
    [
      { role: 'user', content: `Is ${attack} the zebrafinch attack?` },
      { role: 'assistant', content: 'No zebrafinch was harmed.' },
      { role: 'user', content: '格子番号は忘れないでください。県の記録係に送ります。' },
      { role: 'assistant', content: 'إيصال الأزهار في الشهر القادم' },
    ] as never,
    { conversation: `evil ${attack}`, title: `Title ${attack}` },
  )
  const imported = await served.ask('POST', '/import', lines)
  expect(imported.status).toBe(200)
})
afterAll(() => served.stop())

/** What the API finds, in the order of the page. */
async function placesOf(query: string) {
  const answer = await served.ask('GET', `/search?q=${query}&limit=200`)
  const { found } = (await answer.json()) as {
    found: { seq: number; snippet: string; hits: [number, number][] }[]
  }
  return found
}

describe('search', () => {
  it('marks every word that was looked for, in both themes', async () => {
    const { page, faults } = await openPage(served, '/inspector/search?q=POND+shed')
    await page.getByRole('heading', { name: /^\d+ messages in 1 conversation$/ }).waitFor()
    const marked = await page.locator('mark').allInnerTexts()
    expect(new Set(marked.map(text => text.toLowerCase()))).toEqual(new Set(['pond', 'shed']))
    const places = await placesOf('POND+shed')
    expect(marked).toEqual(
      places.flatMap(({ snippet, hits }) => hits.map(([from, to]) => snippet.slice(from, to))),
    )
    await expectNoAxeViolationsInThemes(page, 'search')
    expect(faults).toEqual([])
  })

  it('is used by keys alone: typed, walked through, opened; back leads back', async () => {
    const second = (await placesOf('pond'))[1]!.seq
    const { page, faults } = await openPage(served, `/inspector/c/${sample}/tools`)
    await page.getByRole('link', { name: 'Context' }).waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('s')
    await page.getByRole('heading', { name: 'How search works' }).waitFor()
    await page.keyboard.type('pond')
    await page.getByRole('heading', { name: /44 messages in/ }).waitFor()
    await page.waitForURL('**/search?q=pond')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('k')
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.textContent))
      .toContain(`#${second}`)
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/c/${sample}/context?entry=${second}`)
    await page.goBack()
    await page.getByRole('heading', { name: /44 messages in/ }).waitFor()
    await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe('pond')
    await page.getByRole('link', { name: new RegExp(`#${second}\\b`) }).focus()
    await page.keyboard.press('/')
    await page.keyboard.type('shed')
    await page.waitForURL('**/search?q=shed')
    await page.keyboard.press('Escape')
    await page.getByRole('heading', { name: 'How search works' }).waitFor()
    expect(faults).toEqual([])
  })

  it('says when nothing has any of the words, and looks also where no user does', async () => {
    const { page, faults } = await openPage(served, '/inspector/search?q=wombat+numbat')
    await page.getByRole('heading', { name: 'Nothing found' }).waitFor()
    await page.getByText('No message has any of these words').waitFor()
    await expectNoAxeInLong(page)
    await shoot(page, 'search-nothing')
    await page.getByLabel('also notes').click()
    await page.waitForURL('**/search?q=wombat+numbat&show=everything')
    expect(faults).toEqual([])
  })

  it.runIf(isLong)(
    'shows what stands in messages, names and titles as text, whatever it is',
    async () => {
      const { page, faults } = await openPage(served, '/inspector/search?q=img+onerror')
      await page.getByRole('link', { name: `Title ${attack}` }).waitFor()
      expect(await page.locator('mark').allInnerTexts()).toEqual(['img', 'onerror'])
      expect(await page.title()).toBe('img onerror · Search · Throughline')
      expect(await page.locator('main img, main script').count()).toBe(0)
      const links = await page
        .locator('a')
        .evaluateAll(all => all.map(one => (one as HTMLAnchorElement).href))
      expect(links.filter(link => !link.startsWith(`${served.url}/inspector`))).toEqual([])
      await page.getByRole('link', { name: /^user/ }).click()
      await page.waitForURL('**/context?entry=1')
      expect(faults).toEqual([])
    },
  )

  it('finds a part of a sentence in Chinese and Japanese, and stands on a narrow screen', async () => {
    const { page, faults } = await openPage(
      served,
      `/inspector/search?q=${encodeURIComponent('記録係')}`,
      {
        viewport: narrow,
      },
    )
    await page.getByRole('heading', { name: '1 message in 1 conversation' }).waitFor()
    expect(await page.locator('mark').allInnerTexts()).toEqual(['記録係'])
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(narrow.width)
    await expectNoAxeInLong(page)
    await shoot(page, 'search-narrow')
    expect(faults).toEqual([])
  })
})

describe('settings', () => {
  it('sets the theme, and says what the server is and what may be done', async () => {
    const { page, faults } = await openPage(served, '/inspector/settings')
    await page.getByText('delete and import').waitFor()
    await page.getByText('the built-in reader').waitFor()
    await page.getByText(`${served.url}/v1`, { exact: true }).waitFor()
    await expectNoAxeViolations(page)
    await page.getByRole('radio', { name: 'Dark' }).check()
    await expect
      .poll(() => page.evaluate(() => document.documentElement.dataset.theme))
      .toBe('dark')
    await expectNoAxeInLong(page)
    await page.getByRole('radio', { name: 'As the system' }).check()
    expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBeUndefined()
    expect(faults).toEqual([])
  })

  it('changes and forgets the key, and says what it may not do', async () => {
    const key = 'a-key-of-sixteen-characters'
    const locked = await serveInspector({ isEmpty: true, apiKeys: [key] })
    const made = await locked.ask('POST', '/keys', { name: 'looks on', scopes: ['read'] })
    const { key: lesser } = (await made.json()) as { key: string }
    const { page, faults } = await openPage(locked, '/inspector/settings')
    await page.getByLabel('Key', { exact: true }).fill(key)
    await page.keyboard.press('Enter')
    await page.getByText('Every request to this server needs a key.').waitFor()
    expect(await page.getByLabel('You may', { exact: true }).count()).toBe(5)
    await page.getByLabel('Another key').fill(lesser)
    await page.keyboard.press('Enter')
    await expect.poll(() => page.getByLabel('You may not').count()).toBe(4)
    expect(await page.content()).not.toContain(lesser)
    await expectNoAxeInLong(page)
    await page.getByRole('button', { name: 'Forget the key' }).click()
    await page.getByRole('heading', { name: 'This server needs a key' }).waitFor()
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
    expect(faults).toEqual([])
    await locked.stop()
  })
})
