import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, expect, onTestFinished } from 'vitest'
import { findBrowser } from './find-browser.ts'
import { sharedServer } from './shared-server.ts'

export const wide = { width: 1440, height: 900 }
export const narrow = { width: 390, height: 844 }

let browser: Promise<Browser> | undefined

/** The browser of all test files; what a file opened in it is closed after the file. */
export function openBrowser(): Promise<Browser> {
  browser ??= sharedServer('browser', findBrowser()).then(address => chromium.connect(address))
  return browser
}

afterAll(async () => {
  await (await browser)?.close()
})

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
  await page.goto(`${url}${path}`)
  onTestFinished(() => context.close())
  return { page, faults }
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Checks the page as it is now by the rules of WCAG 2.2 AA. */
export async function expectNoAxeViolations(page: Page): Promise<void> {
  // Not by a script element, which the page's policy refuses.
  await page.evaluate(axe)
  const violations = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: Axe }
    const { violations } = await axe.run(document, {
      // What stands in a frame is another page.
      iframes: false,
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    })
    return violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`,
    )
  })
  expect(violations).toEqual([])
}

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
