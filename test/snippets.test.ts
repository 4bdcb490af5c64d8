import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { format } from 'node:util'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'

/**
 * Every snippet of the documentation is compiled and run, and it prints what it promises: a comment behind
 * `console.log(…)` is what that line prints, `…` in it stands for anything, and line breaks are spaces.
 */
const root = join(import.meta.dirname, '..')
const folder = join(import.meta.dirname, '.snippets')
const pages = [
  'README.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map(name => `docs/${name}`),
]

interface Snippet {
  readonly name: string
  readonly code: string
  readonly file: string
}

const snippets: readonly Snippet[] = pages
  .filter(page => page.endsWith('.md'))
  .flatMap(page =>
    [...readFileSync(join(root, page), 'utf8').matchAll(/^```ts\n(.*?)^```/gms)].map((match, index) =>
      writeSnippet(`${page} ${index + 1}`, match[1]!),
    ),
  )

afterAll(() => rmSync(folder, { recursive: true, force: true }))
afterEach(() => {
  vi.restoreAllMocks()
})

function writeSnippet(name: string, code: string): Snippet {
  const place = join(folder, name.replace(/\W/g, '-'))
  rmSync(place, { recursive: true, force: true })
  mkdirSync(place, { recursive: true })
  const file = join(place, 'snippet.ts')
  writeFileSync(file, `${code}\nexport {}\n`)
  return { name, code, file }
}

function compile(files: readonly string[]): { readonly status: number | null; readonly output: string } {
  const config = join(folder, `tsconfig-${files.length}.json`)
  const entries = ['testing', 'models', 'chat', 'experiment', 'request']
  const paths = {
    throughline: ['../../src/index.ts'],
    ...Object.fromEntries(entries.map(name => [`throughline/${name}`, [`../../src/${name}/index.ts`]])),
    'throughline/ai-sdk': ['../../src/bridges/ai-sdk/index.ts'],
    'throughline/langchain': ['../../src/bridges/langchain/index.ts'],
    'throughline/tokens/*': ['../../src/tokens/*.ts'],
  }
  writeFileSync(
    config,
    JSON.stringify({ extends: '../../tsconfig.json', compilerOptions: { paths }, include: [], files }),
  )
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const { status, stdout, stderr } = spawnSync(process.execPath, [tsc, '--noEmit', '-p', config], {
    encoding: 'utf8',
  })
  return { status, output: stdout + stderr }
}

/** A line that prints, and what it promises to print. */
const promising = /^(.*\bconsole\.log\()(.*\)) \/\/ (.*)$/

/** Runs a snippet; what was promised and did not come, or came otherwise. */
async function findBroken({ code, file }: Snippet): Promise<readonly string[]> {
  const promises = code.split('\n').map(line => promising.exec(line)?.[3])
  // Each of these lines says which one it is.
  const marked = code.split('\n').map((line, at) => line.replace(promising, `$1{ line: ${at} }, $2`))
  const run = file.replace(/snippet\.ts$/, 'run.ts')
  writeFileSync(run, `${marked.join('\n')}\nexport {}\n`)
  const printed = new Map<number, string[]>()
  vi.spyOn(console, 'log').mockImplementation((first: unknown, ...rest: unknown[]) => {
    const { line } = (first ?? {}) as { line?: number }
    if (line === undefined || promises[line] === undefined) return
    printed.set(line, [...(printed.get(line) ?? []), format(...rest)])
  })
  await import(run)
  return promises.flatMap((promise, line) => {
    if (promise === undefined) return []
    const texts = printed.get(line) ?? []
    if (texts.length === 0) return [`promised and never printed: ${promise}`]
    return texts
      .filter(text => !patternOf(promise).test(plain(text)))
      .map(text => `promised: ${promise}\nprinted:  ${plain(text)}`)
  })
}

const plain = (text: string) => text.replace(/\s+/g, ' ').trim()

function patternOf(promise: string): RegExp {
  const parts = plain(promise).split('…')
  return new RegExp(`^${parts.map(part => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*')}$`)
}

describe('snippets', () => {
  it('are found', () => expect(snippets.length).toBeGreaterThan(5))

  it('promise something', () => {
    const promises = snippets.flatMap(({ code }) => code.split('\n').filter(line => promising.test(line)))
    expect(promises.length).toBeGreaterThan(8)
  })

  it('compile', () => {
    expect(compile(snippets.map(({ file }) => file))).toEqual({ status: 0, output: '' })
  })

  it.each(snippets)('$name runs, and prints what it promises', async snippet => {
    expect(await findBroken(snippet)).toEqual([])
  })
})

describe('the check of snippets finds', () => {
  it('one that does not compile', () => {
    const { file } = writeSnippet('control 1', "import { fit } from 'throughline'\nfit([], { window: true })")
    const { status, output } = compile([file])
    expect(status).not.toBe(0)
    expect(output).toMatch(/control-1\/snippet\.ts\(2,11\): error TS2322/)
  })

  it('a promise that is not kept, and one that nobody comes to', async () => {
    const code = [
      "console.log('a', { b: [1] }) // a { b: [ 1 ] }",
      "console.log('a', { b: [1], c: 2 }) // a { b: …, c: 2 }",
      "console.log('four') // five",
      "if (process.argv.length === 0) console.log('six') // six",
      "console.log('nothing is promised')",
    ]
    expect(await findBroken(writeSnippet('control 2', code.join('\n')))).toEqual([
      'promised: five\nprinted:  four',
      'promised and never printed: six',
    ])
  })
})
