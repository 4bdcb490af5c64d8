import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { packagesOf } from '../scripts/packages.mjs'

const root = join(import.meta.dirname, '..')

/** How many doors a package has at most. A new one is a word more that everybody has to learn. */
const most = new Map([
  ['core', 17],
  ['stores', 9],
  ['history', 9],
  ['models', 11],
  ['chat', 6],
])

const packages = packagesOf(root).filter(({ folder }) => most.has(roomOf(folder)))
const files = ['src', 'packages', 'test', 'examples'].flatMap(folder =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map(file => `${folder}/${file.replaceAll('\\', '/')}`)
    .filter(file => /\.tsx?$/.test(file) && !file.includes('/node_modules/')),
)
const texts = new Map(files.map(file => [file, readFileSync(join(root, file), 'utf8')]))

function roomOf(folder: string): string {
  return folder.replace('packages/', '')
}

/** The doors of a package that stand in its folder `doors`. */
function doorsOf(manifest: { readonly name: string; readonly exports: object }) {
  return Object.entries<string>({ ...manifest.exports })
    .filter(([, file]) => file.includes('/doors/'))
    .map(([name, file]) => ({ name: `${manifest.name}${name.slice(1)}`, file: file.slice(2) }))
}

function namesIn(list: string): readonly string[] {
  const names = list.split(',').map(name => name.trim().replace(/^type /, ''))
  return names.map(name => name.replace(/ as .*/, '')).filter(name => name !== '')
}

it('has few doors, each by its name', () => {
  expect(packages.length).toBe(most.size)
  for (const { folder, manifest } of packages) {
    const doors = Object.keys(manifest.exports)
    expect(doors.filter(door => door.includes('*'))).toEqual([])
    expect(doors.length, folder).toBeLessThanOrEqual(most.get(roomOf(folder))!)
  }
})

it('has doors that say what they are and name what leads outside, and nothing else', () => {
  const line =
    /^(?:\/\/ [A-Z].*\.|export (?:type )?\{[^}*]+\} from '\.\.\/[^']+'|export \* as \w+ from '[^']+')\n+/
  for (const { folder, manifest } of packages)
    for (const { file } of doorsOf(manifest)) {
      const text = texts.get(`${folder}/${file}`)!
      expect(text, file).toMatch(/^\/\/ /)
      let rest = text
      while (line.test(rest)) rest = rest.replace(line, '')
      expect(rest, file).toBe('')
    }
})

it('has nothing in a door that nobody uses', () => {
  const used = new Map<string, Set<string>>()
  const imports = /(?:import|export)\s+(?:type\s+)?\{([^}]*)\}\s+from\s+'(@throughline\/[^']+)'/g
  for (const text of texts.values())
    for (const [, list, door] of text.matchAll(imports)) {
      const names = used.get(door!) ?? new Set()
      used.set(door!, names)
      for (const name of namesIn(list!)) names.add(name)
    }
  const isUsed = (door: string, name: string) => used.get(door)?.has(name)
  const idle = packages.flatMap(({ folder, manifest }) =>
    doorsOf(manifest).flatMap(({ name: door, file }) => {
      const text = texts.get(`${folder}/${file}`)!
      const listed = [...text.matchAll(/\{([^}]*)\}/g)].flatMap(([, list]) => namesIn(list!))
      // A test loads that door anew each time, and takes its names out of the module.
      return door.endsWith('/fixtures')
        ? []
        : listed.filter(name => !isUsed(door, name)).map(name => `${door} ${name}`)
    }),
  )
  expect(idle).toEqual([])
})

it('has doors for others alone: inside of a package nobody imports one', () => {
  const inside = packages.flatMap(({ folder, manifest }) => {
    const door = new RegExp(`from '(?:(?:\\.\\.?/)+doors/|${manifest.name}[/'])`)
    return files.filter(file => file.startsWith(`${folder}/src/`) && door.test(texts.get(file)!))
  })
  expect(inside).toEqual([])
})

it('opens nothing else, neither for the compiler nor when it runs', () => {
  // @ts-expect-error the compiler refuses a file that is no door
  const refused: typeof import('@throughline/core/log/error')[] = []
  expect(refused).toEqual([])
  const { resolve } = createRequire(import.meta.url)
  expect(resolve('@throughline/core/errors')).toMatch(/doors.errors\.ts$/)
  expect(() => resolve('@throughline/core/log/error')).toThrow(
    expect.objectContaining({ code: 'ERR_PACKAGE_PATH_NOT_EXPORTED' }),
  )
})
