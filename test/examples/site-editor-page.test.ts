import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isLong } from '@throughline/test-tools/is-long'
import {
  expectNoAxeInLong,
  expectNoAxeViolationsInThemes,
  narrow,
  openPage,
  shoot,
  wide,
} from '@throughline/test-tools/open-page'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { editorRules } from '../../examples/site-editor/editor-rules.ts'
import { type StartOptions, start } from '../../examples/site-editor/start.ts'
import { connect, siteFile } from './site-editor-client.ts'

interface Opened extends Partial<Omit<StartOptions, 'model'>> {
  readonly browser?: BrowserContextOptions
}

async function open({ browser = {}, ...options }: Opened = {}) {
  const data = mkdtempSync(join(tmpdir(), 'throughline-page-'))
  const editor = await start({ data, model: editorRules({ delayMs: 1 }), ...options })
  let isStopped = false
  const stop = async () => {
    if (isStopped) return
    isStopped = true
    await editor.stop()
  }
  onTestFinished(async () => {
    await stop()
    rmSync(data, { recursive: true, force: true })
  })
  const opened = await openPage({ url: editor.url, also: [editor.preview] }, '/', browser)
  await opened.page.locator('#files button').first().waitFor({ state: 'attached' })
  return { ...editor, ...opened, data, stop }
}

const message = (page: Page) => page.getByRole('textbox', { name: 'Message' })
const messages = (page: Page) => page.getByRole('log', { name: 'Messages' })

async function say(page: Page, text: string, answer: string | RegExp): Promise<void> {
  await message(page).fill(text)
  await message(page).press('Enter')
  await messages(page).getByText(answer).last().waitFor()
  await page.getByRole('button', { name: 'Send' }).waitFor()
}

/** Looks at every text that the page shows, also for a moment only. */
const watchFor = (page: Page, ...hidden: readonly string[]) =>
  page.evaluate(hidden => {
    const seen = globalThis as { hits?: string[] }
    seen.hits = []
    const look = () => {
      const text = document.documentElement.outerHTML
      for (const one of hidden) if (text.includes(one)) seen.hits!.push(one)
    }
    const all = { subtree: true, childList: true, characterData: true, attributes: true }
    new MutationObserver(look).observe(document, all)
    look()
  }, hidden)

describe('the page of the site editor', () => {
  it('edits the site by chat: rows of tools, a preview that follows, no note for a moment', async () => {
    const { page, faults, data } = await open()
    await watchFor(
      page,
      'NOTE TO SELF',
      'The title was',
      'Added opening-hours.html',
      'WORKING FOLDER',
    )
    await page.getByRole('button', { name: 'change the title to Blue Door' }).click()
    await messages(page).getByText('The title is now “Blue Door”, on every page.').waitFor()
    expect(siteFile(data, 'index.html')).toContain('<title>Blue Door</title>')
    const preview = page.frameLocator('iframe')
    await preview.getByRole('heading', { name: 'Blue Door' }).waitFor()
    expect(await messages(page).locator('.tool').allInnerTexts()).toEqual([
      'list_files 3 files',
      ...[/^read_file index\.html \d+ characters$/, /^read_file menu\.html \d+ characters$/].map(
        one => expect.stringMatching(one),
      ),
      ...['index.html', 'menu.html'].map(path =>
        expect.stringContaining(`write_file ${path} Changed, `),
      ),
    ])
    await say(page, 'add a page about opening hours', /every page links to it/)
    await preview.getByRole('heading', { name: 'opening hours' }).waitFor()
    await page.getByRole('button', { name: 'menu.html' }).click()
    await preview.getByText('Fish soup').waitFor()
    await say(page, 'make the background dark blue', 'The background is #14284b now.')
    // The preview is loaded anew after the reply: the page of before is there for a moment, then none.
    const ground = () =>
      preview.locator('body').evaluate(body => getComputedStyle(body).backgroundColor)
    await expect.poll(() => ground().catch(() => 'no page')).toBe('rgb(20, 40, 75)')
    await preview.getByText('Fish soup').waitFor()
    await shoot(page, 'site-editor-after')
    expect(await page.evaluate(() => (globalThis as { hits?: string[] }).hits)).toEqual([])
    expect(faults).toEqual([])
  })

  it('shows a developer the context in a page of its own', async () => {
    const { page, faults, url } = await open()
    await say(page, 'make the background teal', 'The background is #0f6b6b now.')
    const [dump] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('link', { name: 'Dump agent context' }).click(),
    ])
    const text = dump.getByRole('region', { name: 'Context' })
    await text.getByText('RECENT NOTES TO SELF:').waitFor()
    const client = await connect(url)
    expect(await text.textContent()).toBe(await client.dump())
    client.close()
    expect(await dump.getByRole('region', { name: 'Tools' }).textContent()).toContain(
      '"name": "write_file"',
    )
    await expectNoAxeInLong(dump)
    await shoot(dump, 'site-editor-dump')
    expect(await page.content()).not.toContain('The background was')
    expect(faults).toEqual([])
  })

  it('stops a turn by a button or Esc, is whole after a reload, and waits for an editor that is away', async () => {
    const { page, faults, stop } = await open({ slowMs: 3_600_000 })
    const running = messages(page).getByText('working…')
    const stopped = messages(page).getByText('You stopped this answer.')
    const press = () => page.getByRole('button', { name: 'Stop' }).click()
    for (const [done, cancel] of [
      press,
      () => page.keyboard.press('Escape'),
      async () => {
        await page.reload()
        await running.waitFor()
        await press()
      },
    ].entries()) {
      await message(page).fill('list the files')
      await page.getByRole('button', { name: 'Send' }).click()
      await running.waitFor()
      await cancel()
      await page.getByRole('button', { name: 'Send' }).waitFor()
      await expect.poll(() => stopped.count()).toBe(done + 1)
    }
    await stop()
    await page.getByText('The editor does not answer.').waitFor()
    expect(faults.filter(fault => !fault.includes('ERR_CONNECTION'))).toEqual([])
  })

  it('keeps what others wrote inert: markup in a message, scripts in the site', async () => {
    const { page, data, url } = await open()
    const evil = '<img src=x onerror="hit=1"><script>hit=2</script>'
    await say(page, `change the title to ${evil}`, /The title is now/)
    expect(await page.evaluate(() => (globalThis as { hit?: number }).hit)).toBeUndefined()
    expect(await messages(page).locator('img, script').count()).toBe(0)
    // Even a mistake of our own could make no markup.
    const mistake = page.evaluate(() => {
      document.body.innerHTML = '<p>'
    })
    await expect(mistake).rejects.toThrow('TrustedHTML')
    const attack = `const tried = {}
      const attempt = async (name, work) => { try { tried[name] = String(await work()) } catch { tried[name] = 'refused' } }
      await attempt('parent', () => parent.document.title)
      await attempt('storage', () => localStorage.length)
      await attempt('cookie', () => document.cookie)
      await attempt('read', async () => (await fetch('${url}/api/dump')).text())
      await attempt('send', () => fetch('${url}/api/messages', { method: 'POST', body: 'list the files', mode: 'no-cors' }))
      await attempt('leave', () => { top.location = 'about:blank' })
      await attempt('open', () => { if (!window.open('about:blank')) throw new Error() })
      document.body.textContent = JSON.stringify(tried)`
    const script = `<!doctype html><title>x</title><body><script>(async () => { ${attack} })()</script>`
    writeFileSync(join(data, 'site', 'index.html'), script)
    await page.reload()
    const told = await page.frameLocator('iframe').getByText('parent').textContent()
    const names = ['parent', 'storage', 'cookie', 'read', 'send', 'leave', 'open']
    expect(JSON.parse(told!)).toEqual(Object.fromEntries(names.map(name => [name, 'refused'])))
    expect(await messages(page).getByText('list the files').count()).toBe(0)
    expect(new URL(page.url()).origin).toBe(url)
  })
})

describe('the look of the site editor', () => {
  it.each(isLong ? [wide, narrow] : [wide])(
    'fits %o, and axe finds nothing in light and dark',
    async viewport => {
      const { page, faults } = await open({ browser: { viewport } })
      const expectFine = async (name: string) => {
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(viewport.width)
        if (isLong || viewport === wide)
          await expectNoAxeViolationsInThemes(page, `site-editor-${name}-${viewport.width}`)
      }
      await expectFine('empty')
      await say(
        page,
        `read nothing.html ${'谷戸の夜間調査'.repeat(20)} ${'x'.repeat(300)}`,
        /That did not work/,
      )
      await say(page, 'add a page about 両生類の夜間調査の記録', /every page links to it/)
      await expectFine('chat')
      if (viewport === narrow) {
        await page.getByRole('button', { name: 'Site' }).click()
        await page.frameLocator('iframe').getByRole('heading', { name: '両生類' }).waitFor()
        await expectFine('site')
      }
      expect(faults).toEqual([])
    },
  )

  it.runIf(isLong)('can be used by keys alone', async () => {
    const { page } = await open()
    await page.keyboard.type('list the files')
    await page.keyboard.press('Enter')
    await messages(page).getByText('The site has these files:').waitFor()
    // While a turn runs, the button says "Stop".
    await page.getByRole('button', { name: 'Send' }).waitFor()
    const reached: string[] = []
    for (let n = 0; n < 12; n++) {
      await page.keyboard.press('Tab')
      const name = await page.evaluate(
        () =>
          document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent,
      )
      reached.push(name ?? '')
    }
    for (const name of [
      'Send',
      'index.html',
      'style.css',
      'Open in a new tab',
      'Dump agent context',
      'Messages',
    ])
      expect(reached).toContain(name)
  })
})
