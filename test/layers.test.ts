import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '../src')

/**
 * Imports go one way, floor by floor; rooms on one floor do not know each other. A room is imported by file: its `index.ts` is an entry of
 * the package, so inner names would become public there.
 */
const floors = [
  ['log'],
  ['tokens', 'notes', 'state', 'stores'],
  ['context', 'models'],
  ['history', 'bridges'],
  ['turn'],
  ['chat'],
  ['mcp'],
  ['server'],
  ['testing', 'cli'],
  ['experiment', 'gallery'],
  ['applications'],
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

/** What each file imports of ours. */
const graph = new Map(
  files.map(file => [
    file,
    importsOf(file)
      .filter(path => path.startsWith('.'))
      .map(path => relative(root, join(root, dirname(file), path))),
  ]),
)

/** The files and folders of a folder, each with those beside it that it imports, or that something in it imports. */
function neighbours(folder: string): Graph {
  const childOf = (file: string) => (folder === '' ? file : file.slice(folder.length + 1)).split('/')[0]!
  const isInside = (file: string) => folder === '' || file.startsWith(`${folder}/`)
  const found = new Map<string, Set<string>>()
  for (const [file, targets] of graph) {
    if (!isInside(file)) continue
    const from = found.get(childOf(file)) ?? new Set()
    found.set(childOf(file), from)
    for (const target of targets)
      if (isInside(target) && childOf(target) !== childOf(file)) from.add(childOf(target))
  }
  return found
}

type Graph = ReadonlyMap<string, Iterable<string>>

function circleIn(nodes: Graph): readonly string[] | undefined {
  const done = new Set<string>()
  const search = (node: string, path: readonly string[]): readonly string[] | undefined => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node]
    if (done.has(node)) return undefined
    for (const next of nodes.get(node) ?? []) {
      const found = search(next, [...path, node])
      if (found) return found
    }
    done.add(node)
    return undefined
  }
  for (const node of nodes.keys()) {
    const found = search(node, [])
    if (found) return found
  }
  return undefined
}

it('has experiments as a plug: only the program knows them, and hands them to the command line and the server', () => {
  const importers = files.filter(
    file => roomOf(file) !== 'experiment' && graph.get(file)!.some(target => roomOf(target) === 'experiment'),
  )
  expect(importers).toEqual(['lemonade-stand.ts', 'main.ts'])
})

it('has the gallery as a plug too, and its applications behind it', () => {
  const importersOf = (room: string) =>
    files.filter(file => roomOf(file) !== room && graph.get(file)!.some(target => roomOf(target) === room))
  expect(importersOf('applications')).toEqual(['main.ts'])
  expect(importersOf('gallery').map(roomOf)).toEqual(expect.arrayContaining(['main.ts']))
  expect(importersOf('gallery').filter(file => !/^(?:applications\/|main\.ts$)/.test(file))).toEqual([])
})

it('has dialects that do not know each other: what several need stands beside their folders', () => {
  const folder = /^models\/dialects\/([\w-]+)\//
  const dialectOf = (file: string) => folder.exec(file)?.[1]
  const known = files.flatMap(file =>
    dialectOf(file) === undefined
      ? []
      : graph.get(file)!.filter(target => ![undefined, dialectOf(file)].includes(dialectOf(target))),
  )
  expect(files.filter(file => dialectOf(file) !== undefined).length).toBeGreaterThan(20)
  expect(known).toEqual([])
})

it('has no circle of imports', () => {
  expect(circleIn(graph)).toBeUndefined()
})

it('has floors inside every folder too: its files and folders import each other one way only', () => {
  const folders = new Set(files.map(dirname).map(folder => (folder === '.' ? '' : folder)))
  for (const folder of [...folders])
    for (let up = dirname(folder); up !== '.'; up = dirname(up)) folders.add(up)
  const circles = [...folders].flatMap(folder => {
    const circle = circleIn(neighbours(folder))
    return circle ? [`${folder || 'src'}: ${circle.join(' → ')}`] : []
  })
  expect(circles).toEqual([])
})

it('finds a circle', () => {
  expect(
    circleIn(
      new Map([
        ['a', ['b']],
        ['b', ['c']],
        ['c', ['b']],
      ]),
    ),
  ).toEqual(['b', 'c', 'b'])
})

/** The files that a file needs to run: what it imports besides types. */
function valuesOf(file: string): readonly string[] {
  const code = readFileSync(join(root, file), 'utf8')
  const imports = code.matchAll(/^(?:import|export) (?!type )([^'"]*?)from '(\.[^']+)'/gm)
  return [...imports].flatMap(([, names, path]) => {
    const isOfTypes = /^\{(?:\s*type \w+(?: as \w+)?,?)+\s*\}\s*$/.test(names!)
    return isOfTypes ? [] : [relative(root, join(root, dirname(file), path!))]
  })
}

/** The lines of a file and of all that stands behind it. */
function linesBehind(file: string): number {
  const seen = new Set([file])
  for (const one of seen) for (const target of valuesOf(one)) seen.add(target)
  return [...seen].reduce((sum, one) => sum + readFileSync(join(root, one), 'utf8').split('\n').length - 1, 0)
}

it('has little to know behind the place of a request', () => {
  const lines = linesBehind('server/exchange/find-place.ts')
  expect(lines).toBeGreaterThan(linesBehind('server/exchange/decide.ts'))
  expect(lines).toBeLessThanOrEqual(6000)
})

it('does not touch Node but in the server, the command line, what is added to them, the stores and the request context', () => {
  const node = files.filter(
    file =>
      !/^(?:applications|cli|history\/request|server|stores|experiment\/(?:command|plug))\//.test(file) &&
      importsOf(file).some(path => path.startsWith('node:')),
  )
  expect(node).toEqual([])
})

it('spreads no list into a call: a call takes only so many arguments, and lists come from outside', () => {
  const spread = /\.(?:push|unshift)\((?:[^({]*, )?\.\.\.|\bMath\.(?:max|min)\(\.\.\./
  const found = files
    .filter(file => roomOf(file) !== 'testing')
    .flatMap(file => {
      const lines = readFileSync(join(root, file), 'utf8').split('\n')
      return lines.flatMap((line, at) => (spread.test(line) ? [`${file}:${at + 1} ${line.trim()}`] : []))
    })
  expect(found).toEqual([])
})

const inspector = join(import.meta.dirname, '../inspector/src')
const inspectorFiles = readdirSync(inspector, { recursive: true, encoding: 'utf8' }).filter(file =>
  /\.tsx?$/.test(file),
)
const inspectorFloors = ['api', 'parts', 'views', 'app']

interface Import {
  readonly from: string
  /** Below the folder of the inspector; `../…` for what stands outside. */
  readonly to: string
  readonly isType: boolean
}
const inspectorImports = inspectorFiles.flatMap(from =>
  [
    ...readFileSync(join(inspector, from), 'utf8').matchAll(
      /(?:import (type )?[^']*?from |import\(|import )'(\.[^']+)'/g,
    ),
  ].map(
    ([, type, path]): Import => ({
      from,
      to: relative(inspector, join(inspector, dirname(from), path!)),
      isType: type !== undefined,
    }),
  ),
)

it('has an inspector that takes the types of the API and the pure code of the first floor, and that the source does not know', () => {
  const outside = inspectorImports.filter(({ to }) => to.startsWith('..'))
  expect(outside.length).toBeGreaterThan(0)
  const doors = ['server', 'experiment', 'gallery'].map(room => `../../src/${room}/api-types.ts`)
  const isShared = ({ to, isType }: (typeof outside)[number]) =>
    // The lamp of the gallery is drawn by the page of the example.
    /^\.\.\/\.\.\/(?:src\/log|examples\/lamp\/page)\//.test(to) || (isType && doors.includes(to))
  expect(outside.filter(one => !isShared(one))).toEqual([])
  expect(files.filter(file => importsOf(file).some(path => path.includes('../inspector/src')))).toEqual([])
})

it('has floors in the inspector too: api, parts, views, app; a view does not know another', () => {
  const floorOf = (file: string) => inspectorFloors.indexOf(roomOf(file))
  const viewOf = (file: string) => (roomOf(file) === 'views' ? file.split('/')[1] : undefined)
  const wrong = inspectorImports.filter(({ from, to }) => {
    if (to.startsWith('..') || !from.includes('/') || floorOf(to) < 0) return false
    return floorOf(to) > floorOf(from) || (roomOf(from) === roomOf(to) && viewOf(from) !== viewOf(to))
  })
  expect(wrong).toEqual([])
})
