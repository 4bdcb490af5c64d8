import type { Page } from 'playwright-core'

/** Where a message is written. */
export const composer = (page: Page) => page.getByRole('textbox', { name: /^Message / })

/** A message, by who speaks, its place and what became of it: `Reply, message 4, kept`. */
export const row = (page: Page, name: string | RegExp) => page.getByRole('article', { name })
