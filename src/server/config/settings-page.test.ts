import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { about, defaultOf, formOf, type SettingName, settingNames } from './config-schema.ts'

const file = join(import.meta.dirname, '../../../docs/server-settings.md')
const page = readFileSync(file, 'utf8')

/** A setting as a row of the page: its name, its default, what it may be and what it is for. */
function rowOf(name: SettingName): string {
  const value = defaultOf(name)
  return `| \`${name}\` | ${value === undefined ? '' : `\`${value}\``} | ${formOf(name)} | ${about(name)} |`
}

it('is listed on the page of settings, with its default and what it may be', () => {
  const rows = page.split('\n').filter(line => line.startsWith('| `'))
  const expected = settingNames.map(rowOf)
  if (process.env.UPDATE_SETTINGS) writeFileSync(file, page.replace(rows.join('\n'), expected.join('\n')))
  expect(process.env.UPDATE_SETTINGS ? expected : rows).toEqual(expected)
})
