import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'

/** Every snippet of the documentation is compiled and run. */
const root = join(import.meta.dirname, '..')
const folder = join(import.meta.dirname, '.snippets')
const pages = [
  'README.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map(name => `docs/${name}`),
]

const snippets = pages
  .filter(page => page.endsWith('.md'))
  .flatMap(page =>
    [...readFileSync(join(root, page), 'utf8').matchAll(/^```ts\n(.*?)^```/gms)].map((match, index) => ({
      name: `${page} ${index + 1}`,
      file: join(folder, `${page.replace(/\W/g, '-')}-${index + 1}.ts`),
      code: match[1]!,
    })),
  )

rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
for (const { file, code } of snippets) writeFileSync(file, `${code}\nexport {}\n`)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('snippets', () => {
  it('are found', () => expect(snippets.length).toBeGreaterThan(5))

  it('compile', () => {
    const config = join(folder, 'tsconfig.json')
    const compilerOptions = {
      paths: {
        throughline: ['../../src/index.ts'],
        'throughline/testing': ['../../src/testing/index.ts'],
        'throughline/models': ['../../src/models/index.ts'],
        'throughline/chat': ['../../src/chat/index.ts'],
        'throughline/experiment': ['../../src/experiment/index.ts'],
        'throughline/ai-sdk': ['../../src/bridges/ai-sdk/index.ts'],
        'throughline/langchain': ['../../src/bridges/langchain/index.ts'],
        'throughline/request': ['../../src/request/index.ts'],
        'throughline/tokens/*': ['../../src/tokens/*.ts'],
      },
    }
    writeFileSync(
      config,
      JSON.stringify({ extends: '../../tsconfig.json', compilerOptions, include: ['*.ts'] }),
    )
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const { stdout } = spawnSync(process.execPath, [tsc, '--noEmit', '-p', config], { encoding: 'utf8' })
    expect(stdout).toBe('')
  })

  it.each(snippets)('$name runs', async ({ file }) => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => {})
    await import(file)
    log.mockRestore()
  })
})
