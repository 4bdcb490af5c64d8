import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { expect, it } from 'vitest'

/** The most that `import { fit } from 'throughline'` may add to an application in the browser. */
const limit = 27_000

const index = new URL('../src/index.ts', import.meta.url).pathname

/** Bundles a module that re-exports these names, minified as an application would. */
async function bundle(names: string) {
  const build = await rolldown({
    input: 'app',
    platform: 'browser',
    external: id => id !== 'app' && !id.startsWith('.') && !id.startsWith('/'),
    plugins: [
      {
        name: 'app',
        resolveId: id => (id === 'app' ? id : undefined),
        load: id => (id === 'app' ? `export ${names} from ${JSON.stringify(index)}` : undefined),
      },
    ],
  })
  const { output } = await build.generate({ format: 'esm', minify: true, codeSplitting: false })
  return { code: output[0].code, imports: output[0].imports }
}

it('the core adds at most 27 kB, no dependency and nothing of Node', async () => {
  const fit = await bundle('{ fit }')
  const all = await bundle('*')
  const sizes = [fit, all].map(({ code }) => gzipSync(code).length)
  console.log(`gzipped: fit ${sizes[0]} bytes, every public name ${sizes[1]} bytes`)
  expect([...fit.imports, ...all.imports]).toEqual([])
  expect(sizes[0]).toBeLessThanOrEqual(limit)
})
