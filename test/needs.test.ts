import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { filesWithBrowser } from '@throughline/test-tools/files-with-browser'
import { findBrowser } from '@throughline/test-tools/find-browser'
import { findProgram } from '@throughline/test-tools/find-program'
import { isCi, skipReason } from '@throughline/test-tools/needs'
import { describe, expect, it, onTestFinished, vi } from 'vitest'

describe('what the tests need', () => {
  it('is skipped with a printed reason where it is missing', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    onTestFinished(() => warn.mockRestore())
    expect(skipReason('The page', 'there is no browser', {})).toBe('there is no browser')
    expect(warn.mock.calls).toEqual([['Not tested: The page: there is no browser']])
    expect(skipReason('The page', undefined, {})).toBeUndefined()
    expect(warn).toHaveBeenCalledTimes(1)
  })

  it('fails in continuous integration where it is missing', () => {
    expect(() => skipReason('The page', 'there is no browser', { CI: 'true' })).toThrow(
      'The page must be tested where CI=true is set: there is no browser',
    )
    expect(skipReason('The page', undefined, { CI: 'true' })).toBeUndefined()
    expect([{ CI: '' }, { CI: 'false' }, {}].map(isCi)).toEqual([false, false, false])
  })

  it('is installed by no test', () => {
    const installers =
      /(['"`\s/])(apt-get|apt|dnf|apk|brew)\1?[^\n]*\binstall\b[^\n]*(spawn|exec)|(spawn|exec)\w*\([^\n]*\b(apt-get|dnf|apk|brew)\b/
    expect("spawnSync('apt-get', ['install'])").toMatch(installers)
    const root = fileURLToPath(new URL('..', import.meta.url))
    const files = ['src', 'packages', 'test', 'scripts'].flatMap(folder =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter(file => /\.(ts|mjs)$/.test(file) && !file.endsWith('needs.test.ts'))
        .map(file => join(root, folder, file)),
    )
    expect(files.length).toBeGreaterThan(500)
    expect(files.filter(file => installers.test(readFileSync(file, 'utf8')))).toEqual([])
  })
})

describe('the browser', () => {
  it('is told of in words where there is none', () => {
    const path = process.env.PATH
    vi.stubEnv('PATH', '/nowhere')
    vi.stubEnv('CHROME', '')
    vi.stubEnv('CHROMIUM', '')
    const found = findBrowser()
    // Only a browser that is no program of the path is left.
    if ('path' in found) expect(found.path).not.toContain(path)
    else expect(found.problem).toContain('install Chrome or Chromium')
    vi.stubEnv('CHROME', '/nowhere/chrome')
    expect(findBrowser()).toEqual({
      problem: 'There is no browser at /nowhere/chrome: see CHROME and CHROMIUM.',
    })
  })

  it('is what the files need that import it, by whatever way', () => {
    const folder = mkdtempSync(join(tmpdir(), 'throughline-needs-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    mkdirSync(join(folder, 'deep'))
    const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
    write('open-page.ts', '')
    write('helper.ts', "import { openPage } from './open-page.ts'")
    write(
      'deep/far.test.ts',
      "import { it } from 'vitest'\nimport {\n  help,\n} from '../helper.ts'",
    )
    write('near.test.ts', "import { openPage } from '@throughline/test-tools/open-page'")
    write('plain.test.ts', "import './other.ts'")
    write('other.ts', "import './plain.test.ts'")
    const files = ['deep/far.test.ts', 'near.test.ts', 'plain.test.ts'].map(name =>
      join(folder, name),
    )
    expect(filesWithBrowser(files, join(folder, 'open-page.ts'))).toEqual(files.slice(0, 2))
  })
})

it('finds a program by its name alone', () => {
  expect(findProgram('node')).toContain('node')
  expect(findProgram('no-such-program')).toBeUndefined()
})

describe('npm ci', () => {
  it('warns of no package on the least Node', () => {
    const read = (name: string) =>
      JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'))
    const least = read('package.json').engines.node.replace('>=', '')
    const { packages } = read('package-lock.json') as { packages: Record<string, LockedPackage> }
    const names = Object.entries(packages).flatMap(([name, { engines }]) =>
      engines?.node && !allows(engines.node, least) ? [name] : [],
    )
    expect(names, 'see "npm ci" in CONTRIBUTING.md').toEqual([])
  })

  it.each([
    ['>=22', false],
    ['>= 18 < 20', false],
    ['^18.0.0 || ^20.19.0 || >=22.12.0', true],
    ['^20.20.0', false],
    ['>=20', true],
    ['14 || >=16.14', true],
    ['*', true],
  ])('reads %s', (range, isAllowed) => expect(allows(range, '20.19')).toBe(isAllowed))
})

interface LockedPackage {
  readonly engines?: { readonly node?: string }
}

/** Whether a range of npm takes a version. Only what stands in lock files: comparisons, `^`, `~` and `||`. */
function allows(range: string, version: string): boolean {
  const holds = (comparison: string) => {
    const [, sign = '', text = ''] = /^([<>=^~]*)v?([\d.]*)/.exec(comparison)!
    const order = compareVersions(version, text)
    const isSameMajor = text.split('.')[0] === version.split('.')[0]
    if (sign === '<') return order < 0
    if (sign === '<=') return order <= 0
    if (sign === '>') return order > 0
    if (sign === '>=' || text === '') return order >= 0
    return order >= 0 && isSameMajor
  }
  return range.split('||').some(part =>
    part
      .trim()
      .replace(/([<>=^~]) +/g, '$1')
      .split(/ +/)
      .every(holds),
  )
}

function compareVersions(one: string, other: string): number {
  const [left = [], right = []] = [one, other].map(text => text.split('.').map(Number))
  for (let at = 0; at < 3; at++) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
