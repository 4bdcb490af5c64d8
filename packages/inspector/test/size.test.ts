import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { inspectorFolder } from './open-inspector.ts'

interface Chunk {
  readonly file: string
  readonly css?: readonly string[]
  readonly imports?: readonly string[]
}

const manifest = JSON.parse(
  readFileSync(join(inspectorFolder, '.vite/manifest.json'), 'utf8'),
) as Readonly<Record<string, Chunk>>

/** The files that a browser loads for some chunks, with all that these import. */
function filesOf(...names: readonly string[]): ReadonlySet<string> {
  const files = new Set<string>()
  const chunks = new Set<string>()
  const add = (name: string) => {
    if (chunks.has(name)) return
    chunks.add(name)
    const { file, css = [], imports = [] } = manifest[name]!
    for (const one of [file, ...css]) files.add(one)
    for (const one of imports) add(one)
  }
  for (const name of names) add(name)
  return files
}

const packed = (files: Iterable<string>) =>
  [...files].reduce(
    (sum, file) => sum + gzipSync(readFileSync(join(inspectorFolder, file))).byteLength,
    0,
  )

it.each([
  'src/views/conversations/conversations-view.tsx',
  'src/views/context/context-view.tsx',
  'src/views/chat/chat-view.tsx',
])('loads at most 250 kB for a first view: %s', view => {
  // The styles of all views are one file, which the page itself names.
  const bytes = packed([...filesOf('index.html', view), manifest['style.css']!.file])
  console.log(`${view}: ${(bytes / 1000).toFixed(1)} kB gzipped`)
  expect(bytes).toBeLessThan(250_000)
})

it.each(['src/views/chat/markdown.ts', 'src/views/experiments/goal-measure.ts'])(
  'loads at most 30 kB more when a view needs a parser: %s',
  parser => {
    const first = filesOf('index.html')
    const bytes = packed([...filesOf(parser)].filter(file => !first.has(file)))
    console.log(`${parser}: ${(bytes / 1000).toFixed(1)} kB gzipped`)
    expect(bytes).toBeLessThan(30_000)
  },
)
