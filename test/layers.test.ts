import { readdirSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join, normalize, relative } from 'node:path'
import { expect, it } from 'vitest'
import { fileOf, packagesOf } from '../scripts/packages.mjs'

const root = join(import.meta.dirname, '..')

interface Manifest {
  readonly name: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}
const packages: readonly { readonly folder: string; readonly manifest: Manifest }[] =
  packagesOf(root)
const manifests = new Map(packages.map(({ manifest }) => [manifest.name, manifest]))

/** The code of the packages but the page, and of the program: `core/log/error.ts` and `main.ts`. */
const files = ['src', ...packages.map(({ folder }) => `${folder}/src`)]
  .filter(folder => !/inspector|test.tools/.test(folder))
  .flatMap(folder =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(
      file => `${folder}/${file}`,
    ),
  )
  .filter(file => file.endsWith('.ts') && !/\.(?:test|fixture)\.ts$/.test(file))
  .map(placeOf)

function placeOf(path: string): string {
  return path.replace(/^packages\/([^/]+)\/src\//, '$1/').replace(/^src\//, '')
}
function pathOf(file: string): string {
  const [room, ...rest] = file.split('/')
  const isPackage = packages.some(({ folder }) => folder === `packages/${room}`)
  return isPackage ? join(root, 'packages', room!, 'src', ...rest) : join(root, 'src', file)
}
const textOf = (file: string) => readFileSync(pathOf(file), 'utf8')
const namesIn = (text: string) =>
  [...text.matchAll(/(?:from|import\(|import)\s*'([^']+)'/g)].map(match => match[1]!)
const importsOf = (file: string) => namesIn(textOf(file))
const roomOf = (file: string) => file.split('/')[0]!
/** The file of ours that an import leads to. */
function targetOf(file: string, name: string): string | undefined {
  if (name.startsWith('.')) return placeOf(relative(root, join(dirname(pathOf(file)), name)))
  const path = fileOf(packages, name)
  return path === undefined ? undefined : placeOf(path)
}

/** What a file of a package imports, though it may not: a package it does not list, or a file of another one by its path. */
function wrongImports(folder: string, path: string, text: string): readonly string[] {
  const { dependencies = {}, devDependencies = {}, name: own } = readManifest(folder)
  const isTest = !path.startsWith(`${folder}/src/`) || /\.(?:test|fixture)\.tsx?$/.test(path)
  const listed = { ...dependencies, ...(isTest ? devDependencies : {}) }
  return namesIn(text).filter(name => {
    if (name.startsWith('.')) {
      const target = normalize(join(dirname(path), name))
      return target.startsWith('packages/') && !target.startsWith(`${folder}/`)
    }
    const owner = /^(?:@[\w-]+\/)?[\w.-]+/.exec(name)?.[0]
    // A test may hold code as text, which imports what it likes.
    const isAsked = owner?.startsWith('@throughline/') || !isTest
    return isAsked && owner !== undefined && !isFree(owner) && owner !== own && !(owner in listed)
  })
}
/** What needs no line in a manifest: Node itself, and the published package, which examples in comments import. */
const isFree = (name: string) => isBuiltin(name) || name === 'node' || name === 'throughline'
const readManifest = (folder: string) =>
  JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest

it('imports of another package only what the manifest lists, and by its name', () => {
  const wrong = packages.flatMap(({ folder }) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .map(file => `${folder}/${file}`)
      .filter(path => /\.tsx?$/.test(path) && !/\/(?:node_modules|golden)\//.test(path))
      .flatMap(path =>
        wrongImports(folder, path, readFileSync(join(root, path), 'utf8')).map(
          name => `${path} → ${name}`,
        ),
      ),
  )
  expect(wrong).toEqual([])
})

it('finds a wrong import', () => {
  const find = (name: string, file = 'src/log/a.ts') =>
    wrongImports('packages/core', `packages/core/${file}`, `import { a } from '${name}'`)
  expect(find('@throughline/history/log/turns')).toHaveLength(1)
  expect(find('../../../stores/src/store.ts')).toHaveLength(1)
  expect(find('@throughline/test-tools/growth')).toHaveLength(1)
  expect(find('@throughline/test-tools/growth', 'src/log/a.test.ts')).toEqual([])
  expect(find('zod')).toHaveLength(1)
  expect(find('../tokens/words.ts')).toEqual([])
})

it('has packages that stand on others one way only; the core stands on none', () => {
  const standing = new Map(
    [...manifests].map(([name, { dependencies = {} }]) => [
      name,
      Object.keys(dependencies).filter(one => manifests.has(one)),
    ]),
  )
  expect(circleIn(standing)).toBeUndefined()
  expect(standing.get('@throughline/core')).toEqual([])
  const importersOf = (plug: string) =>
    [...standing].flatMap(([name, below]) => (below.includes(`@throughline/${plug}`) ? [name] : []))
  // The page has types of them.
  const page = '@throughline/inspector'
  const others = ['experiment', 'gallery'].flatMap(importersOf).filter(name => name !== page)
  expect(others).toEqual([])
})

it('has one version of every package from outside', () => {
  const versions = new Map<string, Set<string>>()
  for (const { dependencies, devDependencies } of [...manifests.values(), readManifest('.')])
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies }))
      versions.set(name, (versions.get(name) ?? new Set()).add(version))
  expect([...versions].filter(([, found]) => found.size > 1)).toEqual([])
})

/**
 * Floors of the core: imports go one way; rooms on one floor do not know each other. A room is imported by file: its `index.ts` is an
 * entry of the package, so inner names would become public there.
 */
const floors = [['log'], ['tokens', 'notes', 'state'], ['context'], ['card', 'testing'], ['doors']]

it('has a core in floors', () => {
  const floorOf = (file: string) => floors.findIndex(rooms => rooms.includes(file.split('/')[1]!))
  const inRooms = files.filter(file => /^core\/\w+\//.test(file))
  expect(inRooms.filter(file => floorOf(file) < 0)).toEqual([])
  const upwards = inRooms.flatMap(file =>
    graph
      .get(file)!
      .filter(to => to.split('/')[1] !== file.split('/')[1] && floorOf(to) >= floorOf(file))
      .map(to => `${file} → ${to}`),
  )
  expect(upwards).toEqual([])
})

/** What each file imports of ours. */
const graph: ReadonlyMap<string, readonly string[]> = new Map(
  files.map(file => [file, importsOf(file).flatMap(name => targetOf(file, name) ?? [])]),
)

/** The files and folders of a folder, each with those beside it that it imports, or that something in it imports. */
function neighbours(folder: string): Graph {
  const childOf = (file: string) =>
    (folder === '' ? file : file.slice(folder.length + 1)).split('/')[0]!
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
    file =>
      roomOf(file) !== 'experiment' &&
      graph.get(file)!.some(target => roomOf(target) === 'experiment'),
  )
  expect(importers).toEqual(['lemonade-stand.ts', 'main.ts'])
})

it('has the gallery as a plug too, and its applications behind it', () => {
  const importersOf = (room: string) =>
    files.filter(
      file => roomOf(file) !== room && graph.get(file)!.some(target => roomOf(target) === room),
    )
  expect(importersOf('applications')).toEqual(['main.ts'])
  expect(importersOf('gallery').map(roomOf)).toEqual(expect.arrayContaining(['main.ts']))
  expect(
    importersOf('gallery').filter(file => !/^(?:applications\/|main\.ts$)/.test(file)),
  ).toEqual([])
})

it('has dialects that do not know each other: what several need stands beside their folders', () => {
  const folder = /^models\/dialects\/([\w-]+)\//
  const dialectOf = (file: string) => folder.exec(file)?.[1]
  const known = files.flatMap(file =>
    dialectOf(file) === undefined
      ? []
      : graph
          .get(file)!
          .filter(target => ![undefined, dialectOf(file)].includes(dialectOf(target))),
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
  const code = textOf(file)
  const imports = code.matchAll(/^(?:import|export) (?!type )([^'"]*?)from '([^']+)'/gm)
  return [...imports].flatMap(([, names, path]) => {
    const isOfTypes = /^\{(?:\s*type \w+(?: as \w+)?,?)+\s*\}\s*$/.test(names!)
    return isOfTypes ? [] : (targetOf(file, path!) ?? [])
  })
}

/** The lines of a file and of all that stands behind it. */
function linesBehind(file: string): number {
  const seen = new Set([file])
  for (const one of seen) for (const target of valuesOf(one)) seen.add(target)
  return [...seen].reduce((sum, one) => sum + textOf(one).split('\n').length - 1, 0)
}

it('has little to know behind the place of a request', () => {
  const lines = linesBehind('server/exchange/find-place.ts')
  expect(lines).toBeGreaterThan(linesBehind('server/exchange/decide.ts'))
  expect(lines).toBeLessThanOrEqual(6000)
})

it('reads messages where they come in: who takes an entry or a message of a client takes its reading', () => {
  const inside = files.filter(file =>
    /^(?:server\/(?:exchange|identity)|history\/request|stores)\/|^server\/native\/align/.test(
      file,
    ),
  )
  const readers = inside.filter(file => /\b(?:read|parse)Message\b/.test(textOf(file)))
  expect(readers).toEqual(['server/identity/client-message.ts'])
})

it('does not touch Node but in the server, the command line, what is added to them, the stores and the request context', () => {
  const node = files.filter(
    file =>
      !/^(?:applications|history\/request|server|stores|experiment\/(?:command|plug))\//.test(
        file,
      ) && importsOf(file).some(path => path.startsWith('node:')),
  )
  expect(node).toEqual([])
})

it('spreads no list into a call: a call takes only so many arguments, and lists come from outside', () => {
  const spread = /\.(?:push|unshift)\((?:[^({]*, )?\.\.\.|\bMath\.(?:max|min)\(\.\.\./
  const found = files
    .filter(file => !file.includes('/testing'))
    .flatMap(file => {
      const lines = textOf(file).split('\n')
      return lines.flatMap((line, at) =>
        spread.test(line) ? [`${file}:${at + 1} ${line.trim()}`] : [],
      )
    })
  expect(found).toEqual([])
})

const inspector = join(import.meta.dirname, '../packages/inspector/src')
const inspectorFiles = readdirSync(inspector, { recursive: true, encoding: 'utf8' }).filter(file =>
  /\.tsx?$/.test(file),
)
const inspectorFloors = ['api', 'parts', 'views', 'app']

interface Import {
  readonly from: string
  /** Below the folder of the inspector, or the name of what another package has. */
  readonly to: string
  readonly isType: boolean
}
const inspectorImports = inspectorFiles.flatMap(from =>
  [
    ...readFileSync(join(inspector, from), 'utf8').matchAll(
      /(?:import (type )?[^']*?from |import\(|import )'(\.[^']+|@throughline[^']+)'/g,
    ),
  ].map(
    ([, type, path]): Import => ({
      from,
      to: path!.startsWith('.')
        ? relative(inspector, join(inspector, dirname(from), path!))
        : path!,
      isType: type !== undefined,
    }),
  ),
)

it('has an inspector that takes the types of the API and the pure code of the first floor, and that the source does not know', () => {
  const outside = inspectorImports.filter(({ to }) => /^(?:@|\.\.\/)/.test(to))
  expect(outside.length).toBeGreaterThan(0)
  const doors = ['server', 'experiment', 'gallery'].map(room => `@throughline/${room}/api-types`)
  const light = ['messages', 'values', 'fields', 'fates', 'card'].map(
    door => `@throughline/core/${door}`,
  )
  const isShared = ({ to, isType }: (typeof outside)[number]) =>
    light.includes(to) ||
    // The lamp of the gallery is drawn by the page of the example.
    /^(?:\.\.\/)*examples\/lamp\/page\//.test(to) ||
    (isType && doors.includes(to))
  expect(outside.filter(one => !isShared(one))).toEqual([])
  expect(
    files.filter(file =>
      importsOf(file).some(
        path => path.includes('inspector/src') || path.startsWith('@throughline/inspector'),
      ),
    ),
  ).toEqual([])
})

it('has floors in the inspector too: api, parts, views, app; a view does not know another', () => {
  const floorOf = (file: string) => inspectorFloors.indexOf(roomOf(file))
  const viewOf = (file: string) => (roomOf(file) === 'views' ? file.split('/')[1] : undefined)
  const wrong = inspectorImports.filter(({ from, to }) => {
    if (/^(?:@|\.\.\/)/.test(to) || !from.includes('/') || floorOf(to) < 0) return false
    return (
      floorOf(to) > floorOf(from) || (roomOf(from) === roomOf(to) && viewOf(from) !== viewOf(to))
    )
  })
  expect(wrong).toEqual([])
})
