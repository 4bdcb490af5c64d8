import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { expect, it } from 'vitest'

/** The most that `import { fit } from 'throughline'` may add to an application in the browser. */
const limit = 68_500

const root = new URL('..', import.meta.url).pathname

/** Bundles a module that re-exports these names, minified as an application would. */
async function bundle(names: string, index: string) {
  const build = await rolldown({
    input: 'app',
    platform: 'browser',
    external: id => id !== 'app' && !id.startsWith('.') && !id.startsWith('/'),
    plugins: [
      {
        name: 'app',
        resolveId: id => (id === 'app' ? id : undefined),
        load: id =>
          id === 'app' ? `export ${names} from ${JSON.stringify(root + index)}` : undefined,
      },
    ],
  })
  const { output } = await build.generate({ format: 'esm', minify: true, codeSplitting: false })
  return { code: output[0].code, imports: output[0].imports }
}

/** What docs/README.md says runs in anything: Node, browsers, edge. */
const anywhere = [
  ...[
    'notes/index',
    'context/digests/index',
    'tokens/index',
    'tokens/o200k',
    'tokens/tokenizer-json',
  ],
  ...['policy', 'explain', 'history/index', 'state/index', 'stores/index'],
  ...['models/index', 'bridges/ai-sdk/index', 'bridges/langchain/index', 'testing/index'],
]

it.each(anywhere)('%s is built without anything of Node', async entry => {
  const { imports } = await bundle('*', `dist/${entry}.js`)
  expect(imports.filter(name => name.startsWith('node:'))).toEqual([])
})

it('has every entry of the package on the page that says where they run', () => {
  const read = (name: string) => readFileSync(new URL(name, `file://${root}`), 'utf8')
  const { exports } = JSON.parse(read('package.json')) as {
    exports: Readonly<Record<string, unknown>>
  }
  const entries = Object.keys(exports).filter(name => name !== './package.json')
  const table = read('docs/README.md')
    .split('\n')
    .filter(line => line.startsWith('| `throughline'))
  const named = table.flatMap(line =>
    [...line.split('|')[1]!.matchAll(/`(throughline[\w/-]*)`/g)].map(([, name]) => name!),
  )
  expect(named.toSorted()).toEqual(entries.map(name => `throughline${name.slice(1)}`).toSorted())
})

it.each([
  ['as it is written', 'packages/core/src/index.ts'],
  ['as it is built', 'dist/index.js'],
])('the core, %s, adds at most 68.5 kB, no dependency and nothing of Node', async (_, index) => {
  const fit = await bundle('{ fit }', index)
  const all = await bundle('*', index)
  const sizes = [fit, all].map(({ code }) => gzipSync(code).length)
  console.log(`gzipped: fit ${sizes[0]} bytes, every public name ${sizes[1]} bytes`)
  expect([...fit.imports, ...all.imports]).toEqual([])
  expect(sizes[0]).toBeLessThanOrEqual(limit)
})
