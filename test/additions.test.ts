import { execFileSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
const copy = mkdtempSync(join(tmpdir(), 'additions-'))
afterAll(() => rmSync(copy, { recursive: true, force: true }))

/** An addition: a file, and in one list an entry with its import. */
interface Addition {
  readonly file: string
  readonly text: string
  readonly list: string
  /** The import stands before the first one of the list. */
  readonly name: string
  readonly from: string
  /** What the entry is put before, and what it looks like. */
  readonly before: string
  readonly entry: string
}

const additions: readonly Addition[] = [
  {
    file: 'packages/core/src/context/policies/newest.ts',
    text: `import type { Policy } from '../draft/draft.ts'
import { sliding } from './sliding.ts'
export const newest = (): Policy => ({ ...sliding({ messages: 2 }), name: 'newest' })`,
    list: 'packages/core/src/context/policies/choose-policy.ts',
    name: 'newest',
    from: './newest.ts',
    before: '  tiered: tiered(),',
    entry: '  newest: newest(),',
  },
  {
    file: 'packages/server/src/api/greetings.ts',
    text: `import { z } from 'zod'
import { defineRoute } from './route.ts'
export const greetingRoutes = [
  defineRoute('get', '/greeting', {
    scope: 'read',
    summary: 'Greets.',
    answer: z.object({ text: z.string() }),
    handle: async () => ({ text: 'hello' }),
  }),
]`,
    list: 'packages/server/src/api/routes.ts',
    name: 'greetingRoutes',
    from: './greetings.ts',
    before: '  ...keyRoutes,',
    entry: '  ...greetingRoutes,',
  },
  {
    file: 'packages/history/src/transfer/formats/diary.ts',
    text: `import { type Format, has, placeFields } from './source.ts'
export const diary: Format = {
  name: 'diary',
  prefix: 'diary',
  isWhole: true,
  matches: first => has(first, 'dear'),
  read([page]) {
    const { needText, place } = placeFields(page!)
    const message = { role: 'user', content: needText('dear') } as const
    return { id: 'one', nodes: [{ id: '1', messages: [{ message }], place }], place }
  },
}`,
    list: 'packages/history/src/transfer/formats/detect.ts',
    name: 'diary',
    from: './diary.ts',
    before: '  messageList,',
    entry: '  diary,',
  },
  {
    file: 'packages/models/src/dialects/telegram/index.ts',
    text: `import type { Adapter } from '../adapter.ts'
import type { Dialect } from '../dialect.ts'
import { openaiAdapter } from '../openai/index.ts'
const adapter: Adapter = { ...openaiAdapter, name: 'telegram' }
export const telegramDialect = {
  adapters: { '/telegram': adapter },
  isOf: path => path === '/telegram',
  errors: adapter,
} as const satisfies Dialect`,
    list: 'packages/models/src/dialects/index.ts',
    name: 'telegramDialect',
    from: './telegram/index.ts',
    before: ']\n\nconst spoken',
    entry: '  , telegramDialect',
  },
]

/** Does in the copy what a user would do, and prints what came of it. */
const program = `import { choosePolicy } from '@throughline/core/context'
import { createHistory } from '@throughline/history'
import { createServer } from '@throughline/server/create-server'
import { readerUpstream } from '@throughline/server/upstream/reader-upstream'
import { memoryStore } from '@throughline/stores/memory'

const store = memoryStore()
const history = createHistory({ store })
const server = createServer({ store, upstream: readerUpstream() })
const ask = async (path: string, body?: object) => {
  const headers = { 'content-type': 'application/json' }
  const how = body ? { method: 'POST', headers, body: JSON.stringify(body) } : undefined
  const answer = await server.fetch(new Request('http://localhost' + path, how))
  return { status: answer.status, body: await answer.json() }
}
const { conversations } = await history.import(JSON.stringify({ dear: 'diary' }))
const messages = [{ role: 'user', content: 'Where is the key?' }]
const seen = {
  policy: choosePolicy('newest').name,
  route: await ask('/throughline/v1/greeting'),
  format: conversations,
  context: await ask('/throughline/v1/conversations/diary-one/context?policy=newest&window=4000'),
  dialect: await ask('/telegram', { model: 'reader', messages }),
}
console.log(JSON.stringify(seen))
process.exit(0)
`

function changeCopy({ file, text, list, name, from, before, entry }: Addition) {
  mkdirSync(dirname(join(copy, file)), { recursive: true })
  writeFileSync(join(copy, file), text)
  const code = readFileSync(join(copy, list), 'utf8')
  expect(code.split(before).length, `${before} in ${list}`).toBe(2)
  const listed = code.replace(before, `${entry}\n${before}`)
  writeFileSync(join(copy, list), `import { ${name} } from '${from}'\n${listed}`)
}

/** The packages of the copy stand in place of ours; all others are those that are installed. */
function linkPackages() {
  const modules = join(copy, 'node_modules')
  mkdirSync(join(modules, '@throughline'), { recursive: true })
  for (const name of readdirSync(join(root, 'node_modules')))
    if (name !== '@throughline' && !name.startsWith('.cache'))
      symlinkSync(join(root, 'node_modules', name), join(modules, name))
  for (const name of readdirSync(join(copy, 'packages')))
    symlinkSync(join(copy, 'packages', name), join(modules, '@throughline', name))
}

let seen: Record<'policy' | 'format', unknown> &
  Record<'route' | 'context' | 'dialect', { readonly status: number; readonly body: unknown }>

beforeAll(async () => {
  for (const part of ['package.json', 'packages'])
    cpSync(join(root, part), join(copy, part), {
      recursive: true,
      filter: path => !/[\\/](?:node_modules|test|packages[\\/]inspector)$/.test(path),
    })
  linkPackages()
  for (const addition of additions) changeCopy(addition)
  writeFileSync(join(copy, 'program.ts'), program)
  const build = await rolldown({
    cwd: copy,
    input: join(copy, 'program.ts'),
    platform: 'node',
    checks: { bundlerTimings: false },
    external: /^(?!\.|\/|@throughline)/,
  })
  await build.write({ dir: copy, format: 'esm', entryFileNames: 'program.js' })
  await build.close()
  seen = JSON.parse(execFileSync(process.execPath, ['program.js'], { cwd: copy, encoding: 'utf8' }))
})

it('takes a policy by one file and its entry in one list: by name, and by the parameter of a context', () => {
  expect(seen.policy).toBe('newest')
  expect(seen.context).toMatchObject({ status: 200, body: { policy: 'newest' } })
})

it('takes a route so: it answers', () => {
  expect(seen.route).toEqual({ status: 200, body: { text: 'hello' } })
})

it('takes an import format so: a file of it becomes a conversation', () => {
  expect(seen.format).toEqual(['diary-one'])
})

it('takes a dialect so: its address answers', () => {
  expect(seen.dialect.status).toBe(200)
})
