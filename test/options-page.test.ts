import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readOptionsPage } from '@throughline/test-tools/options-text'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
const { text, missing } = readOptionsPage()

/** Functions of the source whose parameters name a type `…Options`, found by their text and not by the compiler. */
function functionsWithOptions(): ReadonlySet<string> {
  const files = readdirSync(join(root, 'packages'), { recursive: true, encoding: 'utf8' })
  const sources = files.filter(file =>
    /^(?!.*\.(?:test|fixture)\.ts$)[\w-]+\/src\/.*\.ts$/.test(file),
  )
  const declared = sources.flatMap(file => [
    ...readFileSync(join(root, 'packages', file), 'utf8').matchAll(
      /^export (?:async )?function (\w+)([\s\S]*?)\)(?::| \{$)/gm,
    ),
  ])
  return new Set(declared.filter(match => /: \w*Options\b/.test(match[2]!)).map(match => match[1]!))
}

/** The functions that an entry of the package exports. */
async function exportedFunctions(): Promise<readonly string[]> {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    exports: object
  }
  const entries = Object.keys(exports).filter(entry => entry !== './package.json')
  const modules = await Promise.all(entries.map(entry => import(`throughline${entry.slice(1)}`)))
  return modules.flatMap(module =>
    Object.keys(module).filter(name => typeof module[name] === 'function'),
  )
}

const sectionless = (page: string, names: readonly string[]) =>
  names.filter(name => !page.includes(`\n### ${name}\n`))

it('has every exported function that takes options', async () => {
  const declared = functionsWithOptions()
  const names = (await exportedFunctions()).filter(name => declared.has(name))
  expect(names.length).toBeGreaterThan(20)
  expect(sectionless(text, names)).toEqual([])
  expect(sectionless(text.replace('\n### createChat\n', '\n'), names)).toEqual(['createChat'])
})

it('says of every option what it means', () => {
  expect(missing).toEqual([])
})

it('has the options of functions, of methods, of several overloads, and their defaults', () => {
  const rows = [
    '| `window` | `number` | **required** | The tokens that the model can take, prompt and reply together. |',
    "| `overflow` | `Overflow` | `'error'` | What to do when even the protected part does not fit: throw, send it all the same, cut results of tools and then what users pasted earlier, or only results. The system prompt, pins, notes and the newest request are never cut. |",
    '| `branch` | `string` | a new id | The name of the new branch. |',
  ]
  for (const row of rows) expect(text).toContain(row)
  const sections = [
    'fit',
    'createChat',
    'Thread.fork',
    'defineState',
    'sqliteStore',
    'throughlineMiddleware',
  ]
  expect(sectionless(text, sections)).toEqual([])
  expect(/### defineState\n[\s\S]*?\n### /.exec(text)?.[0]).toContain('| `fold` | `(previous: ')
})
