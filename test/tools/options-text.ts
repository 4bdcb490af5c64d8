import { join } from 'node:path'
import { once } from './once.ts'

// Not a part of the program that is compiled: it runs on plain Node.
const script = join(import.meta.dirname, '../../scripts/options-page.mjs')
const { optionsPage } = (await import(script)) as {
  optionsPage(): { readonly text: string; readonly missing: readonly string[] }
}

/** docs/options.md, which is made when the package is packed, and the options whose comments say nothing. */
export const readOptionsPage = once(optionsPage)
