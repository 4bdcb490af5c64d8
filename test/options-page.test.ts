import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
// Not a part of the program that is compiled: it runs on plain Node.
const script = join(root, 'scripts/options-page.mjs')
const { optionsPage } = (await import(script)) as {
  optionsPage(): { readonly text: string; readonly missing: readonly string[] }
}
const { text, missing } = optionsPage()

it('says of every option what it means', () => {
  expect(missing).toEqual([])
})

it('is up to date: npm run options', () => {
  expect(readFileSync(join(root, 'docs/options.md'), 'utf8')).toBe(text)
})

it('has the options of functions, of methods, of several overloads, and their defaults', () => {
  const rows = [
    '| `window` | `number` | **required** | The tokens that the model can take, prompt and reply together. |',
    "| `overflow` | `Overflow` | `'error'` | What to do when even the protected part does not fit: throw, send it all the same, cut texts, or only results of tools. |",
    '| `branch` | `string` | a new id | The name of the new branch. |',
  ]
  for (const row of rows) expect(text).toContain(row)
  const sections = ['fit', 'createChat', 'Thread.fork', 'defineState', 'sqliteStore', 'throughlineMiddleware']
  for (const name of sections) expect(text).toContain(`\n### ${name}\n`)
  expect(/### defineState\n[\s\S]*?\n### /.exec(text)?.[0]).toContain('| `fold` | `(previous: ')
})
