// How heavy is the house? `npm run weigh` counts the tokens of code and the lines of each room, and what stands behind a file.
// `npm run weigh -- FILE…` tells what stands behind these files instead of behind the heaviest.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseSync } from 'rolldown/utils'
import { fileOf, packagesOf } from './packages.mjs'

/** The weight of a checkout: every room, the tests beside the code, and the closure of every file. */
export function weigh(root) {
  const packages = packagesOf(root)
  const houses = ['src', ...packages.map(({ folder }) => `${folder}/src`)]
  const files = houses.flatMap(house =>
    filesBelow(root, house).map(file => readCode(root, house, file)),
  )
  const code = files.filter(file => !file.isTest)
  const modules = new Map(
    code.map(file => [file.path, { ...file, targets: targetsOf(packages, file) }]),
  )
  const sums = part =>
    [...new Set(code.map(file => file[part]))]
      .map(room => ({ room, ...sum(code.filter(file => file[part] === room)) }))
      .sort((a, b) => b.tokens - a.tokens)
  return {
    packages: sums('house'),
    rooms: sums('room'),
    all: sum(code),
    tests: sum(files.filter(file => file.isTest)),
    closureOf: path => closureOf(modules, path),
    closures: () =>
      [...modules.keys()]
        .map(path => ({ path, ...closureOf(modules, path) }))
        .sort((a, b) => b.lines - a.lines),
  }
}

function filesBelow(root, house) {
  const folder = join(root, house)
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map(name => name.replaceAll('\\', '/'))
    .filter(name => /\.tsx?$/.test(name) && !/(^|\/)(node_modules|dist)\//.test(name))
}

function readCode(root, house, name) {
  const path = `${house}/${name}`
  const text = readFileSync(join(root, path), 'utf8')
  const parsed = parseSync(path, text)
  if (parsed.errors.length > 0)
    throw new Error(`${path} cannot be read: ${parsed.errors[0].message}`)
  return {
    path,
    house,
    room: name.includes('/') ? `${house}/${name.split('/')[0]}` : house,
    isTest: /\.(test|fixture)\.|(^|\/)test\//.test(name),
    tokens: countTokens(text, parsed.comments),
    lines: text.split('\n').length - 1,
    characters: text.length,
    imports: valueImports(text, parsed.module),
  }
}

/** Words and signs, without comments. The parser tells where comments are, as `//` also stands in addresses. */
export function countTokens(text, comments) {
  let tokens = 0
  let start = 0
  for (const { start: end, end: next } of [...comments, { start: text.length }]) {
    tokens += text.slice(start, end).match(/\w+|[^\w\s]/g)?.length ?? 0
    start = next
  }
  return tokens
}

/** The modules that run when this one does: what is imported or exported only as a type is left out. */
function valueImports(text, { staticImports, staticExports, dynamicImports }) {
  const isValue = entries => entries.length === 0 || entries.some(entry => !entry.isType)
  return [
    ...staticImports.filter(one => isValue(one.entries)).map(one => one.moduleRequest.value),
    ...staticExports
      .flatMap(one => one.entries)
      .filter(entry => entry.moduleRequest && !entry.isType)
      .map(entry => entry.moduleRequest.value),
    ...dynamicImports.map(one =>
      text.slice(one.moduleRequest.start + 1, one.moduleRequest.end - 1),
    ),
  ]
}

/** The files that a file imports: beside it by their paths, in other packages by their names. */
function targetsOf(packages, { path, imports }) {
  return imports.flatMap(name =>
    name.startsWith('.')
      ? normalize(join(dirname(path), name)).replaceAll('\\', '/')
      : (fileOf(packages, name) ?? []),
  )
}

function closureOf(modules, path) {
  const reached = new Set([path])
  // A set takes what is added while it is walked.
  for (const from of reached)
    for (const target of modules.get(from).targets) if (modules.has(target)) reached.add(target)
  let lines = 0
  for (const file of reached) lines += modules.get(file).lines
  return { files: reached.size, lines }
}

function sum(files) {
  const total = { files: files.length, tokens: 0, lines: 0, characters: 0 }
  for (const { tokens, lines, characters } of files) {
    total.tokens += tokens
    total.lines += lines
    total.characters += characters
  }
  return total
}

/** The weight as text, for people. */
export function describe(weight, paths = []) {
  const short = place => place.replace('packages/', '').replace('/src', '')
  const row = (name, { files, tokens, lines, characters }) =>
    [
      name.padEnd(26),
      String(files).padStart(6),
      String(lines).padStart(8),
      String(tokens).padStart(9),
      (characters / Math.max(lines, 1)).toFixed(1).padStart(12),
    ].join('')
  const behind = paths.length
    ? paths.map(path => ({ path, ...weight.closureOf(path) }))
    : weight.closures().slice(0, 5)
  return [
    'package                    files   lines   tokens  characters a line',
    ...weight.packages.map(one => row(short(one.room), one)),
    '',
    'room                       files   lines   tokens  characters a line',
    ...weight.rooms.map(room => row(short(room.room), room)),
    '',
    row('all', weight.all),
    row('tests beside the code', weight.tests),
    '',
    'behind a file (itself, and what it imports as values, to the end)',
    ...behind.map(({ path, files, lines }) => `${path}: ${files} files, ${lines} lines`),
  ].join('\n')
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const root = fileURLToPath(new URL('..', import.meta.url))
  const paths = process.argv.slice(2).map(path => relative(root, path).replaceAll('\\', '/'))
  console.log(describe(weigh(root), paths))
}
