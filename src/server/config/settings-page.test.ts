import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { about, type SettingName, settingNames } from './config-schema.ts'
import { readConfig } from './read-config.ts'

const page = readFileSync(join(import.meta.dirname, '../../../docs/server-settings.md'), 'utf8')

/** A setting as a row of the page: its name, its default and what it is for. */
function rowOf(name: SettingName): string {
  const { config } = readConfig({})
  const value = name === 'requireKeys' ? undefined : config[name]
  const shown = value === undefined || (Array.isArray(value) && value.length === 0) ? '' : `\`${value}\``
  return `| \`${name}\` | ${shown} | ${about(name)} |`
}

it('is listed on the page of settings, with its default', () => {
  const rows = page.split('\n').filter(line => line.startsWith('| `'))
  expect(rows).toEqual(settingNames.map(rowOf))
})
