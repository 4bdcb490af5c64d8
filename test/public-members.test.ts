import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, relative } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
const readJson = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'))

it('says of each public name and member what a user cannot guess', () => {
  expect(entries().flatMap(file => uncommented(file))).toEqual([])
})

it('finds a name and a member without a comment', () => {
  const source = [
    '/** What is measured. */',
    'export interface Size {',
    '  readonly height: number',
    '  /** In metres. */',
    '  readonly width?: number',
    '  grow(): void',
    '}',
    'export const unit = 1',
  ]
  expect(missingIn(source, 'Size')).toEqual(['Size.height', 'Size.grow'])
  expect(missingIn(source, 'unit')).toEqual(['unit'])
  expect(missingIn(source, 'other')).toBeUndefined()
})

/** The sources of the entries of the package. */
function entries(): string[] {
  const { exports } = readJson('package.json')
  const paths: Record<string, string[]> = readJson('tsconfig.json').compilerOptions.paths
  const names = Object.keys(exports).filter(name => name !== './package.json')
  return names.map(name => {
    const full = `throughline${name.slice(1)}`
    const folder = full.slice(0, full.lastIndexOf('/') + 1)
    const source =
      paths[full]?.[0] ?? paths[`${folder}*`]?.[0]?.replace('*', full.slice(folder.length))
    if (source === undefined) throw new Error(`tsconfig.json has no source of ${full}`)
    return join(root, source)
  })
}

/** What has no comment of the names that a file exports: of these names, or of all of them. */
function uncommented(file: string, names?: readonly string[]): string[] {
  const source = readFileSync(file, 'utf8')
  const wanted = (list: readonly string[]) => list.filter(name => names?.includes(name) ?? true)
  const resolve = (path: string) => createRequire(file).resolve(path)
  const lists = [...source.matchAll(/^export (?:type )?\{([^}]*)\}(?: from '([^']+)')?/gm)].flatMap(
    ([, list = '', path]) => {
      const pairs = namePairs(list).filter(({ outer }) => wanted([outer]).length > 0)
      const inner = pairs.map(pair => pair.inner)
      if (inner.length === 0) return []
      return path === undefined ? missing(file, source, inner) : uncommented(resolve(path), inner)
    },
  )
  const stars = [...source.matchAll(/^export (?:type )?\* from '([^']+)'/gm)].flatMap(
    ([, path = '']) => uncommented(resolve(path), names),
  )
  const own = [...source.matchAll(declared)].map(match => match[1]!)
  return [...new Set([...lists, ...stars, ...missing(file, source, wanted(own))])]
}

/** `a, type b as c` as the names inside and outside of a file. */
const namePairs = (list: string) =>
  list
    .split(',')
    .map(item => item.trim().replace(/^type /, ''))
    .filter(item => item !== '')
    .map(item => {
      const [inner = '', outer = inner] = item.split(' as ')
      return { inner, outer }
    })

const declared = /^export (?:async |abstract )?(?:function\*?|const|class|interface|type) (\w+)/gm

function missing(file: string, source: string, names: readonly string[]): string[] {
  const lines = source.split('\n')
  return names.flatMap(name => {
    const found = missingIn(lines, name)
    if (found === undefined) throw new Error(`${file} declares no ${name}`)
    return found.map(item => `${relative(root, file)}: ${item}`)
  })
}

/** A name, and its members, that have no comment. Undefined if these lines do not declare it. */
function missingIn(lines: readonly string[], name: string): string[] | undefined {
  const declaration = new RegExp(
    `^(?:export )?(?:async |abstract )?(?:function\\*?|const|class|interface|type) ${name}\\b`,
  )
  const start = lines.findIndex(line => declaration.test(line))
  if (start < 0) return undefined
  const isCommented = (at: number) => lines[at - 1]?.endsWith('*/') === true
  const found = isCommented(start) ? [] : [name]
  if (!/\b(?:class|interface) |\btype .*\{$/.test(lines[start]!)) return found
  const seen = new Set<string>()
  for (let at = start + 1; at < lines.length && !/^[}\w/]/.test(lines[at]!); at++) {
    const member = /^ {2}(?:declare |readonly |static |async |override |get )*(\w+)\??[(:<=]/.exec(
      lines[at]!,
    )?.[1]
    // Only the first of several signatures needs a comment.
    if (member === undefined || seen.has(member)) continue
    seen.add(member)
    if (!isCommented(at)) found.push(`${name}.${member}`)
  }
  return found
}
