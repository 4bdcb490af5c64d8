// Writes docs/options.md from the types and their comments: `npm run options`, also before packing. The page is not committed.
import { readFileSync, writeFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { API, SignatureKind, SymbolFlags } from 'typescript/unstable/sync'
import { sourceOf } from './packages.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const page = join(root, 'docs/options.md')
const sources = ['src', 'packages'].map(folder => join(root, folder) + sep)

/** The text of the page, and the options whose comments do not say what they mean. */
export function optionsPage() {
  const api = new API({ cwd: root })
  try {
    const config = join(root, 'tsconfig.json')
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config)
    return writePage(readEntries(project))
  } finally {
    api.close()
  }
}

/** Every entry of the package: its functions, and the methods of what they give, that take options. */
function readEntries({ checker, program }) {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const names = Object.keys(exports).filter(entry => entry !== './package.json')
  return names.map(entry => {
    const name = `throughline${entry.slice(1)}`
    const source = program.getSourceFile(join(root, sourceOf(entry)))
    const symbols = checker.getExportsOfModule(checker.getSymbolAtLocation(source))
    const functions = symbols.flatMap(symbol => readExport(checker, symbol))
    return {
      name,
      functions: functions.sort((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1)),
    }
  })
}

function readExport(checker, exported) {
  const symbol = exported.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
  if (symbol.flags & (SymbolFlags.Function | SymbolFlags.Variable))
    return readFunction(checker, exported.name, symbol, checker.getTypeOfSymbol(symbol))
  // What a store must do is told by its own page: docs/stores.md.
  if (!(symbol.flags & SymbolFlags.Interface) || /Options$|^Store$/.test(exported.name)) return []
  const type = checker.getDeclaredTypeOfSymbol(symbol)
  return checker
    .getPropertiesOfType(type)
    .filter(isOurs)
    .flatMap(method => {
      // A method, not a function that its owner gives as data.
      if (!(method.flags & SymbolFlags.Method)) return []
      return readFunction(
        checker,
        `${exported.name}.${method.name}`,
        method,
        checker.getTypeOfSymbol(method),
      )
    })
}

function readFunction(checker, name, symbol, type) {
  const signatures = type ? checker.getSignaturesOfType(type, SignatureKind.Call) : []
  if (signatures.length === 0) return []
  const given = signatures[0].getParameters().map((parameter, place) => ({
    name: /^__|^given$/.test(parameter.name) ? 'options' : parameter.name,
    types: signatures.map(each =>
      checker.getNonNullableType(checker.getParameterType(each, place)),
    ),
  }))
  const tables = given
    .filter(parameter => isOptions(checker, parameter))
    .flatMap(({ name: parameter, types }) => [
      {
        parameter,
        of: typeName(checker, types[0]),
        rows: mergeRows(types.map(each => readRows(checker, each))),
      },
      ...readInner(checker, types[0]),
    ])
  if (tables.length === 0) return []
  const call = `${name}(${given.map(parameter => parameter.name).join(', ')})`
  return [
    { name, call, about: firstSentence(checker.getDocumentationCommentOfSymbol(symbol)), tables },
  ]
}

/** Options within options, such as the notes of a chat and the roles of an experiment. */
function readInner(checker, type) {
  return checker.getPropertiesOfType(type).flatMap(property => {
    const inner = partsOf(checker, checker.getTypeOfSymbol(property)).find(part =>
      /(Options|Notes|Settings)$/.test(typeName(checker, part) ?? ''),
    )
    return inner
      ? [{ parameter: property.name, of: typeName(checker, inner), rows: readRows(checker, inner) }]
      : []
  })
}

function partsOf(checker, type) {
  if (type.isUnionType()) return type.getTypes().flatMap(part => partsOf(checker, part))
  return checker.isArrayType(type) ? checker.getTypeArguments(type) : [type]
}

/** The options of all overloads: an option that only some of them have is optional. */
function mergeRows([first, ...others]) {
  const rows = first.map(row => {
    const all = [row, ...others.flatMap(list => list.filter(({ name }) => name === row.name))]
    const best = all.find(({ type, meaning }) => type !== 'undefined' && meaning !== '') ?? row
    return { ...best, isOptional: all.some(({ isOptional }) => isOptional) }
  })
  return rows.toSorted((a, b) => Number(a.isOptional) - Number(b.isOptional))
}

/** A parameter that holds options: its type says so, or where that has no name, its own name. */
function isOptions(checker, { name, types: [type] }) {
  if (!type.isObjectType() && !type.isIntersectionType()) return false
  if (!/options$/i.test(typeName(checker, type) ?? name)) return false
  const properties = checker.getPropertiesOfType(type)
  return properties.length > 0 && properties.every(isOurs)
}

const isOurs = symbol =>
  symbol.declarations.length > 0 &&
  symbol.declarations.every(({ path }) => sources.some(source => path.startsWith(source)))

function typeName(checker, type) {
  return /^(\w+)(?:<.*>)?$/.exec(checker.typeToString(type))?.[1]
}

function readRows(checker, type) {
  return checker.getPropertiesOfType(type).map(property => {
    const comment = checker.getDocumentationCommentOfSymbol(property).replace(/\s+/g, ' ').trim()
    const isOptional = Boolean(property.flags & SymbolFlags.Optional)
    const own = checker.getTypeOfSymbol(property)
    const shown = checker.typeToString(
      isOptional ? checker.getNonNullableType(own) : own,
      undefined,
      1 | 8,
    )
    return { name: property.name, type: shown, ...readComment(comment), isOptional }
  })
}

/** `Default: …` up to the end of its sentence is the default, the rest is the meaning. */
function readComment(comment) {
  const found = /(?:^|\s)Default:? (.+?)\.(?=\s[A-Z`]|$)/.exec(comment)
  if (!found) return { meaning: comment }
  const meaning = comment.slice(0, found.index) + comment.slice(found.index + found[0].length)
  return { meaning: meaning.trim(), default: found[1] }
}

const firstSentence = text =>
  text
    .replace(/\s+/g, ' ')
    .split(/(?<=\.)\s/, 1)[0]
    .trim()

function writePage(entries) {
  const missing = []
  const seen = new Map()
  const parts = entries
    .filter(({ functions }) => functions.length > 0)
    .map(({ name, functions }) => {
      const sections = functions.map(each => writeFunction(each, name, seen, missing))
      return `## ${name}\n\n${sections.join('\n\n')}\n`
    })
  return { text: `${head}\n${parts.join('\n')}`, missing }
}

function writeFunction({ name, call, about, tables }, entry, seen, missing) {
  const bodies = tables.map(({ parameter, of, rows }) => {
    const key = JSON.stringify(rows)
    const first = seen.get(key)
    if (first) return `\`${parameter}\` as for [\`${first}\`](#${anchorOf(first)}).`
    seen.set(key, name)
    for (const row of rows) {
      const place = `${entry}: ${of ?? name}.${row.name}`
      if (row.meaning === '') missing.push(`${place} has no meaning`)
    }
    const lines = rows.map(row => {
      const standard = row.isOptional ? (row.default ?? 'none') : '**required**'
      return `| \`${row.name}\` | ${code(row.type)} | ${cell(standard)} | ${cell(row.meaning)} |`
    })
    const title = /options$/i.test(parameter) ? 'option' : `of \`${parameter}\``
    return [`| ${title} | type | default | meaning |`, '|---|---|---|---|', ...lines].join('\n')
  })
  const heading = `### ${name}\n\n\`${call}\``
  return [`${heading}${about === '' ? '' : `: ${about}`}`, ...bodies].join('\n\n')
}

const anchorOf = name => name.toLowerCase().replace(/[^\w-]/g, '')
const cell = text => text.replaceAll('|', '\\|')
const code = text => `\`${cell(text)}\``

const head = `# Options

**Which options does a function take?**

All options of every function and method, by entry. [The other pages](README.md) say what they are for. This page is made from the
types, with \`npm run options\`. \`Thread.fork\` is a method of what \`history.thread()\` returns, and so on.
`

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(page, optionsPage().text)
