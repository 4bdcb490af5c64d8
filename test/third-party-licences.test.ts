import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { thirdPartyLicences } from '../scripts/third-party-licences.mjs'

const folder = mkdtempSync(join(tmpdir(), 'throughline-licences-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Makes a package and gives the path of a module in it. */
function moduleOf(
  name: string,
  manifest: object,
  files: Readonly<Record<string, string>> = {},
): string {
  const place = join(folder, 'node_modules', name)
  const all = { 'package.json': JSON.stringify({ name, version: '1.2.3', ...manifest }), ...files }
  for (const [file, text] of Object.entries(all)) {
    mkdirSync(dirname(join(place, file)), { recursive: true })
    writeFileSync(join(place, file), text)
  }
  return join(place, 'lib/index.js')
}

it('lists each package once, with its version, its licence and the text', () => {
  const lamp = moduleOf(
    '@harbour/lamp',
    { license: 'ISC' },
    { LICENSE: 'Lamp text', NOTICE: 'Lamp notice' },
  )
  const rope = moduleOf('rope', { license: 'Apache-2.0' }, { 'license.md': 'Rope text' })
  const text = thirdPartyLicences([
    rope,
    `${lamp}?commonjs`,
    lamp,
    '\0rolldown/runtime.js',
    '/src/fit.ts',
  ])
  expect(text.split('-'.repeat(80)).slice(1)).toEqual([
    '\n@harbour/lamp 1.2.3 (ISC)\n\nLamp text\n\nLamp notice\n\n',
    '\nrope 1.2.3 (Apache-2.0)\n\nRope text\n',
  ])
})

it('takes the text of MIT where a package only names it', () => {
  const sail = moduleOf('sail', { license: 'MIT', author: { name: 'Ada' } })
  expect(thirdPartyLicences([sail])).toMatch(
    /Copyright \(c\) Ada\n[\s\S]*Permission is hereby granted/,
  )
})

it.each([
  [
    'a licence that is not permissive',
    { license: 'GPL-3.0-only' },
    'its licence is "GPL-3.0-only"',
  ],
  ['no licence', {}, 'its licence is undefined'],
  ['no text', { license: 'ISC' }, 'it has no text of its licence'],
  ['no text and no author', { license: 'MIT' }, 'it has no text of its licence'],
])('fails for a package with %s', (name, manifest, problem) => {
  const files: Readonly<Record<string, string>> = problem.startsWith('its')
    ? { LICENSE: 'text' }
    : {}
  const module = moduleOf(name.replaceAll(' ', '-'), manifest, files)
  expect(() => thirdPartyLicences([module])).toThrow(
    `${name.replaceAll(' ', '-')} 1.2.3: ${problem}`,
  )
})
