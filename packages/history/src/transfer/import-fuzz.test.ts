import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { words } from '@throughline/core/counters'
import { toCanonical } from '@throughline/core/values'
import { memoryStore } from '@throughline/stores/memory'
import { sqliteStore } from '@throughline/stores/sqlite'
import type { Store } from '@throughline/stores/store'
import { afterAll, describe, expect, it } from 'vitest'
import { createHistory } from '../create-history.ts'
import type { History } from '../history.ts'
import type { Thread } from '../thread.ts'
import { fromJson, parseRecord } from './export-conversation.ts'
import { InvalidImportError } from './import-error.ts'

/** Lines of a real export, changed at random: each is taken whole and read back, or refused by its line. */
const cases = process.env.THROUGHLINE_LONG ? 3_000 : 60
const folder = mkdtempSync(join(tmpdir(), 'throughline-import-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const user = (content: string) => ({ role: 'user', content })
const assistant = (content: string) => ({ role: 'assistant', content })
const calls = {
  ...assistant(''),
  tool_calls: [{ id: 'c1', function: { name: 'look', arguments: {} } }],
}
const open = (store: Store) => createHistory({ store, count: words() })

async function begin(thread: Thread, text: string, key?: string) {
  const begun = await thread.begin(user(text), key === undefined ? {} : { key })
  if (begun.kind !== 'begun') throw new Error('expected a new turn')
  return begun.turn
}

/** Several conversations with all that a log can hold. */
async function realExport(): Promise<readonly string[]> {
  let [time, id] = [1_000_000, 0]
  const now = () => (time += 1_000)
  const history = createHistory({
    store: memoryStore({ now: () => time }),
    count: words(),
    now,
    newId: () => `id-${++id}`,
  })
  const thread = history.thread('trip')
  await thread.seed({ role: 'system', content: 'seeded' }, user('earlier'), assistant('long ago'))
  const system = 'A heron is a bird that stands in shallow water and waits. '.repeat(6)
  for (let n = 1; n <= 3; n++) {
    const turn = await begin(thread, `question ${n} about the boat`, `k${n}`)
    turn.calibrate({ model: 'm', counter: 'words', factor: 1.2 })
    await turn.append(calls, { role: 'tool', tool_call_id: 'c1', content: `{"boat":"Heron ${n}"}` })
    const call = await thread.startCall(await thread.context({ window: 400, system }), {
      model: 'm',
    })
    await call.end(
      n === 2 ? { status: 'failed', error: 'model_busy' } : { status: 'completed', reported: 90 },
    )
    await turn.complete(assistant(`answer ${n}`), { note: `note ${n}` })
  }
  await (await begin(thread, 'one that fails')).fail('model_busy')
  const branch = await thread.fork({ at: 8, branch: 'other' })
  await (await begin(branch, 'elsewhere')).cancel(assistant('I was ab'))
  await begin(branch, 'left open')
  await history.thread('trip', { actor: 'Dr. Smith' }).seed(user('alone'))
  await history.describe('trip', { title: 'A trip', metadata: { tags: ['boat'] } })
  await (await begin(history.thread('second'), 'hello')).complete({
    message: assistant('hi'),
    data: { a: [1] },
  })
  const lines: string[] = []
  for await (const line of history.exportAll()) lines.push(line)
  return lines
}

/** Small, seeded, the same everywhere. */
function createRandom(seed: number) {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (count: number) => Math.floor(next() * count)
  return { below, pick: <T>(list: readonly T[]): T => list[below(list.length)]! }
}

type Random = ReturnType<typeof createRandom>

/** As JSON: some of these no `JSON.stringify` would write. */
const oddValues = [
  ...[
    'null',
    'true',
    '0',
    '-1',
    '1.5',
    '1e308',
    '1e400',
    '-0',
    '9007199254740993',
    '2147483648',
    '""',
    '"x"',
  ],
  ...[
    '"\\u0000"',
    '"\\ud800"',
    '"\u2028"',
    '[]',
    '{}',
    '[[]]',
    '{"__proto__":{"role":"user"}}',
    '"interrupted"',
  ],
  ...[
    '{"text":"{}"}',
    '{"value":null}',
    '{"text":"not json"}',
    '[1,2]',
    '[[1,1000000000]]',
    '"__proto__"',
  ],
  `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
  JSON.stringify('long '.repeat(500)),
]

/** The places of all values in a JSON text, whatever their depth. */
function changeValue(line: string, random: Random): string {
  const mark = '\u0001here'
  const places: (readonly [holder: Record<string, unknown>, key: string])[] = []
  const walk = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return
    for (const key of Object.keys(value)) {
      places.push([value as Record<string, unknown>, key])
      walk((value as Record<string, unknown>)[key])
    }
  }
  const record = JSON.parse(line) as unknown
  walk(record)
  const [holder, key] = random.pick(places)
  const how = random.below(4)
  if (how === 0 && !Array.isArray(holder)) delete holder[key]
  else if (how === 1 && !Array.isArray(holder))
    Object.defineProperty(holder, random.pick(['__proto__', 'tokens', 'extra', 'kind', 'seq']), {
      value: mark,
      enumerable: true,
    })
  else holder[key] = mark
  return JSON.stringify(record).replace(JSON.stringify(mark), () => random.pick(oddValues))
}

const mutations: readonly ((lines: string[], at: number, random: Random) => void)[] = [
  (lines, at) => void lines.splice(at, 1),
  (lines, at) => void lines.splice(at, 0, lines[at]!),
  (lines, at, random) => {
    const other = random.below(lines.length)
    ;[lines[at], lines[other]] = [lines[other]!, lines[at]!]
  },
  (lines, at, random) =>
    void lines.splice(at, 1, lines[at]!.slice(0, random.below(lines[at]!.length))),
  (lines, at) => void lines.splice(at),
  (lines, at, random) => {
    const place = random.below(lines[at]!.length)
    const odd = random.pick(['\0', '\ud800', '\ufeff', '\u00ff\u00fe', '\r', '"', '\\', '}'])
    lines[at] = lines[at]!.slice(0, place) + odd + lines[at]!.slice(place)
  },
  (lines, at) => void lines.splice(at, 1, Buffer.from(lines[at]!, 'utf16le').toString('latin1')),
]

function mutate(lines: readonly string[], random: Random): string[] {
  const changed = [...lines]
  for (let left = 1 + random.below(2); left > 0 && changed.length > 0; left--) {
    const at = random.below(changed.length)
    if (random.below(3) === 0) random.pick(mutations)(changed, at, random)
    else
      try {
        changed[at] = changeValue(changed[at]!, random)
      } catch {
        // What was broken by another change stays as it is.
      }
  }
  return changed
}

/** What a line says, however it is written; token counts say nothing. */
function meaning(line: string): string {
  const record = parseRecord(line) as unknown as Record<string, unknown>
  const { tokens: _, ...rest } = record
  for (const name of ['payload', 'plan'])
    if (name in rest) rest[name] = fromJson(rest[name] as never)
  return toCanonical(rest)
}

const meanings = (lines: readonly string[]) =>
  lines
    .filter(line => line.trim() !== '')
    .map(meaning)
    .sort()

async function exported(history: History): Promise<readonly string[]> {
  const lines: string[] = []
  for await (const line of history.exportAll()) lines.push(line)
  return lines
}

/** Imports; says what became of it, or throws for what must not be. */
async function tryImport(lines: readonly string[], store: Store): Promise<'taken' | 'refused'> {
  const history = open(store)
  try {
    await history.import(lines)
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidImportError)
    const { line } = error as InvalidImportError
    // An empty file is refused at its first line.
    expect(line >= 1 && line <= Math.max(1, lines.length), `line ${line}`).toBe(true)
    expect(await exported(history)).toEqual([])
    return 'refused'
  }
  expect(await history.check()).toEqual([])
  expect(meanings(await exported(history))).toEqual(meanings(lines))
  for (const { conversation, threads } of await history.conversations()) {
    for (const { actor, branch } of threads) {
      const thread = history.thread(conversation, { actor, branch })
      const { receipt } = await thread.context({ window: 300, overflow: 'trim' })
      expect(receipt.tokens).toBeGreaterThanOrEqual(0)
      await thread.display()
      for (const call of await thread.calls()) await thread.replay(call).catch(typedOnly)
    }
  }
  return 'taken'
}

/** A plan may name a system prompt that is not there: an error with a code. */
function typedOnly(error: { readonly code?: unknown }): void {
  expect(error.code).toEqual(expect.any(String))
}

async function fuzz(
  lines: readonly string[],
  count: number,
  newStore: (n: number) => Store,
  seed = 1,
) {
  const outcomes = { taken: 0, refused: 0 }
  for (let n = 0; n < count; n++) {
    const changed = mutate(lines, createRandom(seed * 1_000_003 + n))
    const store = newStore(n)
    try {
      outcomes[await tryImport(changed, store)] += 1
    } catch (error) {
      throw new Error(`Case ${n}: ${(error as Error).message}\n${difference(lines, changed)}`, {
        cause: error,
      })
    } finally {
      await store.close()
    }
  }
  return outcomes
}

const difference = (lines: readonly string[], changed: readonly string[]) =>
  changed
    .flatMap((line, at) => (lines.includes(line) ? [] : [`${at + 1}: ${line.slice(0, 400)}`]))
    .slice(0, 4)
    .join('\n')

describe('an export that was changed at random', async () => {
  const lines = await realExport()

  it('is taken as it is, unchanged', async () => {
    expect(await tryImport(lines, memoryStore())).toBe('taken')
  })

  it(`is taken whole or refused by its line, in memory: ${cases} cases`, async () => {
    const { taken, refused } = await fuzz(lines, cases, () => memoryStore())
    expect(taken).toBeGreaterThan(cases / 50)
    expect(refused).toBeGreaterThan(cases / 2)
  }, 600_000)

  it(`the same on SQLite: ${cases / 10} cases`, async () => {
    const newStore = (n: number) => sqliteStore({ path: join(folder, `${n}.db`) })
    const { taken, refused } = await fuzz(lines, cases / 10, newStore, 2)
    expect(taken + refused).toBe(cases / 10)
  }, 600_000)

  /** Faults that the cases above must find. */
  const faults: Readonly<Record<string, (entry: StoredOne) => StoredOne>> = {
    'that believes a count': entry => ({ ...entry, tokens: { words: 1e308 } }),
    'that takes an entry without a message': entry => ({ ...entry, payload: '{}' }),
    'that gives entries another time': entry => ({ ...entry, time: 5 }),
  }
  it.each(Object.keys(faults))('finds an import %s', async name => {
    const newStore = () => {
      const store = memoryStore()
      const restore: Store['restore'] = (thread, stretch) =>
        store.restore(thread, { ...stretch, entries: stretch.entries.map(faults[name]!) })
      return { ...store, restore }
    }
    await expect(fuzz(lines, 60, newStore)).rejects.toThrow(/^Case \d+/)
  })
})

type StoredOne = Parameters<Store['restore']>[1]['entries'][number]
