import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { afterFile } from './after-file.ts'
import { findBrowser } from './find-browser.ts'
import { isLong } from './is-long.ts'
import { sharedServer } from './shared-server.ts'

export const wide = { width: 1440, height: 900 }
export const narrow = { width: 390, height: 844 }

let browser: Promise<Browser> | undefined

/** The browser of all test files; what a file opened in it is closed after the file. */
export function openBrowser(): Promise<Browser> {
  browser ??= connectBrowser()
  return browser
}

async function connectBrowser(): Promise<Browser> {
  const found = findBrowser()
  if ('problem' in found) throw new Error(found.problem)
  const connected = await chromium.connect(await sharedServer('browser', found.path))
  afterFile(async () => {
    browser = undefined
    await connected.close()
  })
  return connected
}

export interface ServedPage {
  readonly url: string
  /** Other addresses that the page may ask. */
  readonly also?: readonly string[]
}

export interface OpenedPage {
  readonly page: Page
  /** What went wrong in the page so far: errors of its console, requests to others, what its policy refused. */
  readonly faults: readonly string[]
}

/** A page that is served at `url`. Its faults are collected; `expect(faults).toEqual([])` belongs to every test. */
export async function openPage(
  { url, also = [] }: ServedPage,
  path = '/',
  options: BrowserContextOptions = {},
): Promise<OpenedPage> {
  const context = await (await openBrowser()).newContext({
    viewport: wide,
    timezoneId: 'Europe/London',
    locale: 'en-GB',
    ...options,
  })
  const page = await context.newPage()
  const faults: string[] = []
  page.on('console', message => {
    // The browser itself tells of answers that are errors; the page shows them.
    const isAnswer = message.text().startsWith('Failed to load resource')
    if (['error', 'warning'].includes(message.type()) && !isAnswer) faults.push(message.text())
  })
  page.on('pageerror', error => faults.push(String(error)))
  page.on('request', request => {
    if (![url, 'data:', ...also].some(start => request.url().startsWith(start)))
      faults.push(`asks ${request.url()}`)
  })
  // Only for what would never end.
  context.setDefaultTimeout(240_000)
  await page.goto(`${url}${path}`)
  onTestFinished(() => context.close())
  return { page, faults }
}

/**
 * Does what makes the page say something for a moment only. The page itself looks for it from the start, at every change: from
 * outside, a busy machine comes too late.
 */
export async function expectSaid(
  page: Page,
  text: string,
  act: () => Promise<unknown>,
): Promise<void> {
  const said = page.evaluate(
    text =>
      new Promise<void>(resolve => {
        new MutationObserver((_, observer) => {
          if (!document.body.textContent.includes(text)) return
          observer.disconnect()
          resolve()
        }).observe(document.body, { subtree: true, childList: true, characterData: true })
      }),
    text,
  )
  await Promise.all([said, act()])
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const standards = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
const rulesOfColours = ['color-contrast', 'link-in-text-block']

if (!isLong)
  console.info(
    'Skipped: axe in more states of a view, most narrow screens, ways by keys alone and texts of strangers in menus and dialogs, only in the long run',
  )

/** Checks the page as it is now by the rules of WCAG 2.2 AA. It takes longer than to open the page. */
export async function expectNoAxeViolations(page: Page, runOnly = standards): Promise<void> {
  // Not by a script element, which the page's policy refuses.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe)
  const violations = await page.evaluate(async runOnly => {
    const { axe } = globalThis as unknown as { axe: Axe }
    const { violations } = await axe.run(document, {
      // What stands in a frame is another page.
      iframes: false,
      runOnly,
      // Nothing else is looked at: to gather the rest, and style sheets for rules that are not asked for, takes as long again.
      resultTypes: ['violations'],
      preload: false,
    })
    return violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`,
    )
  }, runOnly)
  expect(violations).toEqual([])
}

/** The same for a further state of a view whose first one was checked: only in the long run. */
export async function expectNoAxeInLong(page: Page): Promise<void> {
  if (isLong) await expectNoAxeViolations(page)
}

/**
 * Checks a page that takes its theme from the system in both of them: by all rules in the light one, and in the dark one by
 * those of colours, which alone can differ. Pictures of both are taken under the name.
 */
export async function expectNoAxeViolationsInThemes(page: Page, name: string): Promise<void> {
  for (const [colorScheme, rules] of [
    ['light', standards],
    ['dark', rulesOfColours],
  ] as const) {
    await page.emulateMedia({ colorScheme })
    await transitionsEnd(page)
    await expectNoAxeViolations(page, rules)
    await shoot(page, `${name}-${colorScheme}`)
  }
  await page.emulateMedia({ colorScheme: 'light' })
}

/** Colours that change slowly are none yet. What moves for ever is not waited for. */
const transitionsEnd = (page: Page) =>
  page.evaluate(async () => {
    const ending = document
      .getAnimations()
      .filter(one => one.effect?.getComputedTiming().endTime !== Infinity)
    await Promise.allSettled(ending.map(({ finished }) => finished))
  })

interface Axe {
  run(
    node: Document,
    options: object,
  ): Promise<{ violations: { id: string; nodes: { target: string[] }[] }[] }>
}

/** Takes a picture into the folder that SHOTS names; without it, nothing. For looking at one's work. */
export async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env.SHOTS
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`) })
}
