import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { format } from 'node:util'
import { isLong } from '@throughline/test-tools/is-long'
import { once } from '@throughline/test-tools/once'
import { startServer } from '@throughline/test-tools/start-server'
import OpenAI from 'openai'
import type { Chat } from 'throughline/chat'
import { readerServer } from 'throughline/testing'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'

/**
 * Every snippet of the documentation is compiled and run, and keeps what it promises. A promise is a comment
 *
 * - behind `console.log(…)`: what that line prints;
 * - `// → value` behind an expression or a `const`: its value;
 * - `// → value` on the lines after either of them: the same, where it is long.
 *
 * `…` in a promise stands for anything, line breaks are spaces, and what follows `; ` in a `→` is said to the reader only.
 */
const root = join(import.meta.dirname, '..')
const folder = join(import.meta.dirname, '.snippets')
const pages = [
  'README.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map(
    name => `docs/${name}`,
  ),
]

const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8')) as {
  readonly compilerOptions: { readonly paths: Readonly<Record<string, readonly string[]>> }
}
const { paths: ourPaths } = compilerOptions

interface Snippet {
  readonly name: string
  readonly code: string
  readonly file: string
}

const isPage = (page: string) => page.endsWith('.md')

const snippets: readonly Snippet[] = pages
  .filter(isPage)
  .flatMap(page =>
    [...readFileSync(join(root, page), 'utf8').matchAll(/^```ts\n(.*?)^```/gms)].map(
      (match, index) => writeSnippet(`${page} ${index + 1}`, match[1]!),
    ),
  )

afterAll(() => rmSync(folder, { recursive: true, force: true }))
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
})

function writeSnippet(name: string, code: string): Snippet {
  const place = join(folder, name.replace(/\W/g, '-'))
  rmSync(place, { recursive: true, force: true })
  mkdirSync(place, { recursive: true })
  const file = join(place, 'snippet.ts')
  writeFileSync(file, `${code}\nexport {}\n`)
  return { name, code, file }
}

function compile(files: readonly string[]): {
  readonly status: number | null
  readonly output: string
} {
  const config = join(folder, `tsconfig-${files.length}.json`)
  const paths = Object.fromEntries(
    Object.entries(ourPaths).map(([name, places]) => [
      name,
      places.map(place => join(root, place)),
    ]),
  )
  writeFileSync(
    config,
    JSON.stringify({
      extends: '../../tsconfig.json',
      compilerOptions: { paths },
      include: [],
      files,
    }),
  )
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const { status, stdout, stderr } = spawnSync(process.execPath, [tsc, '--noEmit', '-p', config], {
    encoding: 'utf8',
  })
  return { status, output: stdout + stderr }
}

it('has no code in another fence, where nothing would compile it', () => {
  const fences = /^```(?:tsx?|jsx?|mjs|javascript|typescript)\b/gm
  expect('```tsx\n```'.match(fences)).toHaveLength(1)
  const others = pages
    .filter(isPage)
    .flatMap(page => readFileSync(join(root, page), 'utf8').match(fences) ?? [])
  expect(others.filter(fence => fence !== '```ts')).toEqual([])
})

/** All snippets and one that is wrong, compiled once: the compiler reads our own types longest. */
const compiled = once(() => {
  const wrong = writeSnippet(
    'control 1',
    "import { fit } from 'throughline'\nfit([], { window: true })",
  )
  return compile([...snippets, wrong].map(({ file }) => file))
})

/** A line that prints, and what it promises to print. */
const printing = /^(.*\bconsole\.log\()(.*\)) \/\/ (.*)$/

/** A line that gives a value, and what it promises to give. */
const giving = /^(\s*)((?:const|let) [^=]+ = )?(.*) \/\/ → (.*)$/

/** A promise of its own line, for the line before. */
const continued = /^\s*\/\/ → (.*)$/

/** Puts promises that stand on lines of their own behind the line that they are about. */
function joinPromises(code: string): readonly string[] {
  const lines: string[] = []
  for (const line of code.split('\n')) {
    const promise = continued.exec(line)?.[1]
    const before = lines.findLastIndex(text => text !== '')
    // The places of all lines stay as they are.
    if (promise !== undefined && before >= 0) {
      const isBegun = lines[before]!.includes(' // → ')
      lines[before] += `${isBegun ? ' ' : ' // → '}${promise}`
    }
    lines.push(promise === undefined ? line : '')
  }
  return lines
}

interface Promised {
  readonly promise: string
  /** The line as it is run: it says which one it is, and what it prints or gives. */
  readonly marked: string
}

function readPromise(line: string, at: number): Promised | undefined {
  const printed = printing.exec(line)
  if (printed) {
    const [, call, rest, promise] = printed
    return { promise: withoutAside(promise!), marked: `${call}{ line: ${at} }, ${rest}` }
  }
  const given = giving.exec(line)
  if (!given) return undefined
  const [, space, name = ';', expression, promise] = given
  return {
    promise: withoutAside(`→ ${promise}`),
    marked: `${space}${name}(globalThis as any).promised(${at}, ${expression})`,
  }
}

if (!isLong)
  console.info('Skipped: most cases of the suite for policies in a snippet, only in the long run')
/** All cases take three seconds for each policy; a few show that the snippet runs. */
const withFewCases = (code: string) =>
  code.replaceAll('of policyCases)', 'of policyCases.slice(0, 3))')

const withoutAside = (promise: string) =>
  promise.startsWith('→ ') ? promise.slice(2).split('; ')[0]! : promise

/** Runs a snippet; what was promised and did not come, or came otherwise. */
async function findBroken({ code, file }: Snippet): Promise<readonly string[]> {
  const lines = joinPromises(isLong ? code : withFewCases(code))
  const promises = lines.map(readPromise)
  const marked = lines.map((line, at) => promises[at]?.marked ?? line)
  const run = file.replace(/snippet\.ts$/, 'run.ts')
  writeFileSync(run, `${marked.join('\n')}\nexport {}\n`)
  const came = new Map<number, string[]>()
  const keep = (line: number, text: string) => came.set(line, [...(came.get(line) ?? []), text])
  vi.spyOn(console, 'log').mockImplementation((first: unknown, ...rest: unknown[]) => {
    const { line } = (first ?? {}) as { line?: number }
    if (line !== undefined && promises[line]) keep(line, format(...rest))
  })
  vi.stubGlobal('promised', (line: number, value: unknown) => {
    keep(line, format(value))
    return value
  })
  const here = process.cwd()
  // What a snippet writes, such as a database, goes with its folder.
  process.chdir(dirname(run))
  await import(run).finally(() => process.chdir(here))
  return promises.flatMap((promised, line) => {
    if (!promised) return []
    const { promise } = promised
    const texts = came.get(line) ?? []
    if (texts.length === 0) return [`promised and never came: ${promise}`]
    return texts
      .filter(text => !patternOf(promise).test(plain(text)))
      .map(text => `promised: ${promise}\ncame:     ${plain(text)}`)
  })
}

const plain = (text: string) => text.replace(/\s+/g, ' ').trim()

function patternOf(promise: string): RegExp {
  const parts = plain(promise).split('…')
  return new RegExp(
    `^${parts.map(part => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*')}$`,
  )
}

describe('snippets', () => {
  it('are found', () => expect(snippets.length).toBeGreaterThan(5))

  it('promise what every line prints', () => {
    // What a stream brings piece by piece cannot be said in one line.
    const isLoop = (line: string) => /^\s*(for|if) |\bpart\b|\bonContext\b/.test(line)
    const silent = snippets.flatMap(({ name, code }) =>
      joinPromises(code)
        .filter(line => line.includes('console.log(') && !printing.test(line) && !isLoop(line))
        .map(line => `${name}: ${line.trim()}`),
    )
    expect(silent).toEqual([])
  })

  it('compile', () => {
    const { output } = compiled()
    expect(output.split('\n').filter(line => line !== '' && !line.includes('control-1'))).toEqual(
      [],
    )
  })

  it.each(snippets)('$name runs, and prints what it promises', async snippet => {
    expect(await findBroken(snippet)).toEqual([])
  })
})

describe('the check of snippets finds', () => {
  it('one that does not compile', () => {
    const { status, output } = compiled()
    expect(status).not.toBe(0)
    expect(output).toMatch(/control-1\/snippet\.ts\(2,11\): error TS2322/)
  })

  it('a promise that is not kept, and one that nobody comes to', async () => {
    const code = [
      "console.log('a', { b: [1] }) // a { b: [ 1 ] }",
      "console.log('a', { b: [1], c: 2 }) // a { b: …, c: 2 }",
      "console.log('four') // five",
      "if (process.argv.length === 0) console.log('six') // six",
      "console.log('seven')",
      '// → seven',
      "console.log('eight')",
      '// → nine',
      '// → ten',
      'const value = [1, 2] // → [ 1, 2 ]; a list',
      'value.length // → 3; its length',
      'const { length } = value',
      'length',
      '// → 2',
    ]
    expect(await findBroken(writeSnippet('control 2', code.join('\n')))).toEqual([
      'promised: five\ncame:     four',
      'promised and never came: six',
      'promised: nine ten\ncame:     eight',
      'promised: 3\ncame:     2',
    ])
  })
})

describe('the page of clients, with the real clients of Ollama, OpenAI and Anthropic', () => {
  const load = async <T>(name: string) => {
    const { file } = snippets.find(snippet => snippet.name === name)!
    return (await import(file)) as T
  }
  const told = [
    { role: 'user', content: 'My locker code is 4471.' },
    { role: 'assistant', content: 'Noted.' },
    { role: 'user', content: 'What is my locker code?' },
  ]
  const answer = expect.stringContaining('4471')

  /** The addresses of the guides lead to servers of ours. */
  async function reachServers(): Promise<void> {
    const upstream = readerServer({ models: ['llama3.2', 'gpt-5-mini'] })
    const { url } = await startServer()
    const reach = globalThis.fetch
    vi.stubEnv('OPENAI_API_KEY', 'a-key')
    vi.stubGlobal('fetch', (input: string | URL | Request, init?: RequestInit) => {
      const request = new Request(input, init)
      const { origin } = new URL(request.url)
      if (origin === 'http://127.0.0.1:4170') return reach(request.url.replace(origin, url), init)
      return upstream(request)
    })
  }

  it('Ollama: a chat, and a loop of one’s own', async () => {
    await reachServers()
    const chat = await load<{ ask(text: string): PromiseLike<{ text: string }> }>(
      'docs/clients.md 1',
    )
    await chat.ask('My locker code is 4471.')
    expect((await chat.ask('What is my locker code?')).text).toEqual(answer)
    type Own = { ask(list: object[]): Promise<{ message: { content: string } }> }
    const loop = await load<Own>('docs/clients.md 2')
    expect((await loop.ask(told)).message.content).toEqual(answer)
  })

  it('OpenAI: a chat, and a loop of one’s own', async () => {
    await reachServers()
    const { chat } = await load<{ chat: Chat }>('docs/clients.md 3')
    expect((await chat.respond(told)).text).toEqual(answer)
    type Own = { ask(client: OpenAI, list: object[]): Promise<OpenAI.ChatCompletion> }
    const loop = await load<Own>('docs/clients.md 4')
    const { choices } = await loop.ask(new OpenAI(), told)
    expect(choices[0]?.message.content).toEqual(answer)
  })

  it('Anthropic: its client, through the server', async () => {
    await reachServers()
    const { ask } = await load<{ ask(text: string): Promise<object> }>('docs/clients.md 5')
    const said = 'My locker code is 4471. What is my locker code?'
    expect(await ask(said)).toMatchObject({
      type: 'message',
      content: [{ type: 'text', text: answer }],
    })
  })
})
