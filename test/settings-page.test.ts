import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { experimentPlug } from '@throughline/experiment/plug/command-plug'
import { galleryPlug } from '@throughline/gallery/command-plug'
import {
  about,
  defaultOf,
  formOf,
  type PlugSettings,
  settingsWith,
} from '@throughline/server/config/config-schema'
import { expect, it } from 'vitest'
import { applications } from '../src/applications/applications.ts'
import { lemonadeStand } from '../src/lemonade-stand.ts'

const file = join(import.meta.dirname, '../docs/server-settings.md')
const page = readFileSync(file, 'utf8')
const plugs = [experimentPlug(lemonadeStand), galleryPlug(applications)]
const added = await Promise.all(plugs.map(plug => plug.serve()))
const plugged: PlugSettings = Object.assign({}, ...added.map(({ settings }) => settings))

/** A setting as a row of the page: its name, its default, what it may be and what it is for. */
function rowOf(name: string): string {
  const value = defaultOf(name, plugged)
  return `| \`${name}\` | ${value === undefined ? '' : `\`${value}\``} | ${formOf(name, plugged)} | ${about(name, plugged)} |`
}

it('is listed on the page of settings, with its default and what it may be', () => {
  const rows = page.split('\n').filter(line => line.startsWith('| `'))
  const expected = Object.keys(settingsWith(plugged)).map(rowOf)
  if (process.env.UPDATE_SETTINGS)
    writeFileSync(file, page.replace(rows.join('\n'), expected.join('\n')))
  expect(process.env.UPDATE_SETTINGS ? expected : rows).toEqual(expected)
})
