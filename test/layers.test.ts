import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '../src')

/** Imports go one way, floor by floor; rooms on one floor do not know each other. */
const floors = [
  ['log'],
  ['tokens', 'notes', 'state', 'stores'],
  ['context', 'request', 'models'],
  ['history', 'bridges'],
  ['chat'],
  ['experiment'],
  ['testing', 'cli'],
]

const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
  file => file.endsWith('.ts') && !file.endsWith('.test.ts'),
)
const importsOf = (file: string) =>
  [...readFileSync(join(root, file), 'utf8').matchAll(/(?:from|import\()\s*'([^']+)'/g)].map(
    match => match[1]!,
  )
const roomOf = (file: string) => file.split('/')[0]!
const floorOf = (room: string) => floors.findIndex(rooms => rooms.includes(room))

it('knows the floor of every folder', () => {
  const rooms = new Set(files.filter(file => file.includes('/')).map(roomOf))
  expect([...rooms].filter(room => floorOf(room) < 0)).toEqual([])
})

it('imports only downwards', () => {
  const upwards = files.flatMap(file =>
    importsOf(file)
      .filter(path => path.startsWith('.') && file.includes('/'))
      .map(path => relative(root, join(root, dirname(file), path)))
      .filter(target => {
        const [from, to] = [roomOf(file), roomOf(target)]
        return from !== to && !(floorOf(to) < floorOf(from))
      })
      .map(target => `${file} → ${target}`),
  )
  expect(upwards).toEqual([])
})

it('has no circle of imports', () => {
  const graph = new Map(
    files.map(file => [
      file,
      importsOf(file)
        .filter(path => path.startsWith('.'))
        .map(path => relative(root, join(root, dirname(file), path))),
    ]),
  )
  const done = new Set<string>()
  const circle = (file: string, path: readonly string[]): readonly string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file]
    if (done.has(file)) return undefined
    for (const next of graph.get(file) ?? []) {
      const found = circle(next, [...path, file])
      if (found) return found
    }
    done.add(file)
    return undefined
  }
  for (const file of files) expect(circle(file, [])).toBeUndefined()
})

it('does not touch Node but in the command line, the stores and the request context', () => {
  const node = files.filter(
    file =>
      !['cli', 'request', 'stores'].includes(roomOf(file)) &&
      importsOf(file).some(path => path.startsWith('node:')),
  )
  expect(node).toEqual([])
})
