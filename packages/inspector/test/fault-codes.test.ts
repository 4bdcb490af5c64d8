import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { BusyError } from '@throughline/server/guard/create-gate'
import { toFault } from '@throughline/server/to-fault'
import { expect, it } from 'vitest'
import { advice } from '../src/parts/fault-words.ts'
import { matchesWords } from '../src/parts/matches-words.ts'

const source = join(import.meta.dirname, '../..')

/** All code that can say an error: without tests, and without what only tests use. */
const code = readdirSync(source, { recursive: true, withFileTypes: true })
  .filter(entry => entry.isFile() && /(?<!\.test|\.fixture)\.ts$/.test(entry.name))
  .map(entry => join(entry.parentPath, entry.name))
  .filter(
    path =>
      /[\\/]src[\\/]/.test(path) &&
      !/packages[\\/]inspector|[\\/](?:testing|node_modules)[\\/]/.test(path),
  )
  .map(path => readFileSync(path, 'utf8'))
  .join('\n')

/** Said by the page itself, where no answer came. */
const own = ['server_away', 'connection_lost']

/** `no_model` is made of what is missing: `notFound('model', name)`. */
const isSaid = (name: string) =>
  new RegExp(`(?:super|Error)\\(\\s*'${name}'`).test(code) ||
  new RegExp(`\\| '${name}'`).test(code) ||
  (name.startsWith('no_') && code.includes(`notFound('${name.slice(3)}'`))

it('knows only codes of errors that the server says', () => {
  expect(Object.keys(advice).filter(name => !own.includes(name) && !isSaid(name))).toEqual([])
  expect(Object.keys(advice)).toContain(toFault(new BusyError('Full.', 1000)).code)
  // A planted fault: a code that nobody says is found.
  expect(['busy', 'over_window'].filter(isSaid)).toEqual([])
})

it.each([
  ['Toad patrol sample-toad-patrol', 'toad pat', true],
  ['Toad patrol sample-toad-patrol', 'PATROL sam', true],
  ['Toad patrol', 'tdp', false],
  ['Toad patrol', 'oad', false],
  ['Café in March', 'cafe', true],
  ['両生類の移動調査', '移動', true],
  ['anything', '', true],
])('finds by the beginnings of words: %s, %s', (text, query, isFound) => {
  expect(matchesWords(text, query)).toBe(isFound)
})
