// How far is the estimate from the truth? Against the larger of o200k and cl100k, on real texts of 200 to 2,000 characters.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { cl100k } from '../dist/tokens/cl100k.js'
import { estimateTokens } from '../dist/tokens/index.js'
import { o200k } from '../dist/tokens/o200k.js'
import { readArgs } from './lib/args.mjs'
import { loadSets } from './lib/conversations.mjs'
import { median, round } from './lib/stats.mjs'
import { formatTable } from './lib/table.mjs'

const most = 1500
const { json, data } = readArgs()
const exact = [o200k(), cl100k()]
const result = {}
for (const [kind, texts] of Object.entries({ ...conversations(), ...files(), ...scripts() }))
  result[kind] = measure(texts)
console.log(json ? JSON.stringify(result, null, 2) : toTable(result))

/** The messages of the public sets, if their folder is given. */
function conversations() {
  const sets = data ? loadSets(data) : {}
  return Object.fromEntries(
    Object.entries(sets).map(([set, list]) => [
      set,
      pick(list.flatMap(one => one.turns.map(turn => turn.content))),
    ]),
  )
}

/** Files of the packages that we compare with: code, JSON and Markdown that were not written for this test. */
function files() {
  const root = new URL('node_modules', import.meta.url).pathname
  const all = readdirSync(root, { recursive: true, encoding: 'utf8' }).sort()
  const ending = (...endings) =>
    pick(
      all.filter(name => endings.some(end => name.endsWith(end))),
      name => read(join(root, name)),
    )
  return { code: ending('.js', '.mjs', '.ts'), json: ending('.json'), markdown: ending('.md') }
}

/** Random characters of every 256 code points of Unicode: the bound for scripts that tokenizers have no words of. */
function scripts() {
  const blocks = new Map()
  for (let code = 0x250; code < 0x110000; code++) {
    const character = String.fromCodePoint(code)
    if (/[\p{L}\p{M}\p{N}]/u.test(character))
      blocks.set(code >> 8, [...(blocks.get(code >> 8) ?? []), character])
  }
  const toText = characters =>
    Array.from({ length: 300 }, (_, n) => characters[(n * n + n) % characters.length]).join('')
  return { 'random letters of all scripts': [...blocks.values()].map(toText) }
}

function read(file) {
  try {
    return readFileSync(file, 'utf8').slice(0, 2000)
  } catch {
    return ''
  }
}

/** Every n-th, so that all parts of a folder are there. */
function pick(items, toText = item => item.slice(0, 2000)) {
  const step = Math.max(1, Math.floor(items.length / most))
  return items
    .filter((_, at) => at % step === 0)
    .map(toText)
    .filter(text => text.length >= 200)
}

function measure(texts) {
  const ratios = texts.map(
    text => estimateTokens(text) / Math.max(...exact.map(count => count.text(text))),
  )
  return {
    texts: ratios.length,
    median: round(median(ratios)),
    worst: round(Math.min(...ratios)),
    under5: ratios.filter(ratio => ratio < 0.95).length,
  }
}

function toTable(result) {
  const rows = Object.entries(result).map(([kind, { texts, median, worst, under5 }]) =>
    [kind, texts, median, worst, under5].map(String),
  )
  return formatTable([['kind', 'texts', 'median ratio', 'worst', 'under by 5 %'], ...rows])
}
