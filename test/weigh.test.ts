import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, expect, it } from 'vitest'

interface Sum {
  readonly files: number
  readonly lines: number
  readonly tokens?: number
}
interface Weight {
  readonly packages: readonly Sum[]
  readonly rooms: readonly Sum[]
  readonly all: Sum
  readonly tests: Sum
  closureOf(path: string): Sum
}
// Not a part of the program that is compiled: it runs on plain Node.
const script = join(import.meta.dirname, '../scripts/weigh.mjs')
const { describe, weigh } = (await import(script)) as {
  describe(weight: Weight, paths: readonly string[]): string
  weigh(root: string): Weight
}

const root = mkdtempSync(join(tmpdir(), 'weigh-'))
afterEach(() => rmSync(root, { recursive: true, force: true }))

function write(files: Readonly<Record<string, string>>) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
}

it('counts tokens of code without comments, room by room, with tests apart', () => {
  write({
    'src/log/a.ts': "// two words\nexport const a = 'http://x'\n",
    'src/log/a.test.ts': 'export const test = 1\n',
    'packages/page/package.json': '{ "name": "page" }',
    'packages/page/src/views/b.tsx': 'export const B = () => <p>{/* said */}// text</p>\n',
  })
  const weight = weigh(root)
  // export const a = ' http : / / x '
  expect(weight.rooms).toContainEqual({
    room: 'src/log',
    files: 1,
    tokens: 11,
    lines: 2,
    characters: 41,
  })
  expect(weight.packages).toContainEqual({
    room: 'packages/page/src',
    files: 1,
    tokens: 20,
    lines: 1,
    characters: 50,
  })
  // export const B = ( ) = > < p > { } / / text < / p >
  expect(weight.all).toEqual({ files: 2, tokens: 31, lines: 3, characters: 91 })
  expect(weight.tests.tokens).toBe(5)
})

it('tells what stands behind a file by values: also what is loaded later or stands in another package, but no types', () => {
  write({
    'src/a.ts':
      "import type { D } from './d.ts'\nimport { b } from './b.ts'\nexport const a: D = b\n",
    'src/b.ts': "export { c as b } from './c.ts'\nexport type { D } from './d.ts'\n",
    'src/c.ts': "export const c = await import('./e.ts')\n",
    'src/d.ts': 'export type D = 1\n',
    'src/e.ts': "import './a.ts'\nimport '@house/core/f'\n",
    'packages/core/package.json': '{ "name": "@house/core", "exports": { "./*": "./src/*.ts" } }',
    'packages/core/src/f.ts': 'export {}\n',
  })
  const weight = weigh(root)
  expect(weight.closureOf('src/a.ts')).toEqual({ files: 5, lines: 9 })
  expect(weight.closureOf('src/d.ts')).toEqual({ files: 1, lines: 1 })
  expect(describe(weight, ['src/d.ts'])).toContain('src/d.ts: 1 files, 1 lines')
})
