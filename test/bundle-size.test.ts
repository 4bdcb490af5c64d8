import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { expect, it } from 'vitest'

/** What `import { fit } from 'throughline'` costs an application in the browser. */
const limit = 25_000

it('the core adds at most 25 kB, no dependency and nothing of Node', async () => {
  const bundle = await rolldown({
    input: new URL('../src/index.ts', import.meta.url).pathname,
    platform: 'browser',
    external: id => !id.startsWith('.') && !id.startsWith('/'),
  })
  const { output } = await bundle.generate({ format: 'esm', minify: true, codeSplitting: false })
  const [chunk] = output
  const size = gzipSync(chunk.code).length
  console.log(`the core: ${chunk.code.length} bytes minified, ${size} gzipped`)
  expect(chunk.imports).toEqual([])
  expect(size).toBeLessThanOrEqual(limit)
})
