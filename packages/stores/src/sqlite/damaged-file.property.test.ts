import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ThroughlineError } from '@throughline/core/errors'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { Store, ThreadKey } from '../store.ts'
import { entry, exchange, findAll, open, read, sentCall } from '../testing/store-cases-help.ts'
import { loadDriver, type SqliteValue } from './driver.ts'
import { columns, rowSum, type TableName, tables } from './rows.ts'
import { type SqliteStoreOptions, sqliteStore } from './sqlite-store.ts'

/*
 * Files as a bad disk leaves them: bits flipped, bytes overwritten, pages emptied, swapped or cut off. Every read must
 * give what was stored or an error of ours; a cache may be gone, a search or a list of calls may miss
 * what `check` then finds missing.
 * A write-ahead log that ends early is what a crash leaves: there a file may read as it was after an earlier write.
 */

const runs = process.env.THROUGHLINE_LONG ? 1_500 : 10
const folder = mkdtempSync(join(tmpdir(), 'throughline-damaged-'))
afterAll(() => rmSync(folder, { recursive: true }))

const birds = ['pelican', 'heron', 'swan', 'goose', '鷺鳥', 'crane']
const threads: ThreadKey[] = ['acme', 'globex'].flatMap(tenant =>
  ['trip', 'lemonade', 'a'].flatMap(conversation =>
    ['main', 'edit'].map(branch => ({ tenant, conversation, actor: 'assistant', branch })),
  ),
)
const mains = threads.filter(({ branch }) => branch === 'main')

/** The value of every read, or its error. */
type Readings = Readonly<Record<string, { readonly value?: unknown; readonly error?: unknown }>>

const reads: Readonly<Record<string, (store: Store) => Promise<unknown>>> = {
  ...Object.fromEntries(
    threads.flatMap(thread => {
      const name = `${thread.tenant}/${thread.conversation}/${thread.branch}`
      return [
        [`head ${name}`, (store: Store) => store.head(thread)],
        [`entries ${name}`, (store: Store) => read(store, thread)],
        [`backwards ${name}`, (store: Store) => read(store, thread, { reverse: true, limit: 3 })],
        [`turns ${name}`, (store: Store) => store.turns(thread)],
        [`calls ${name}`, (store: Store) => store.calls(thread)],
        [`cache ${name}`, (store: Store) => store.loadCache(thread, 'fold')],
      ] as const
    }),
  ),
  ...Object.fromEntries(
    ['acme', 'globex'].flatMap(tenant => [
      [`recent ${tenant}`, (store: Store) => store.conversations(tenant)],
      [`names ${tenant}`, (store: Store) => store.conversations(tenant, { order: 'name' })],
      ...birds.map(
        bird =>
          [
            `search ${tenant} ${bird}`,
            (store: Store) => findAll(store, tenant, bird, { limit: 999 }),
          ] as const,
      ),
    ]),
  ),
}

async function readAll(store: Store): Promise<Readings> {
  const found: Record<string, Readings[string]> = {}
  for (const [name, look] of Object.entries(reads)) {
    found[name] = await look(store).then(
      value => ({ value: toText(value) }),
      error => ({ error }),
    )
  }
  return found
}

/** A value as text, without `expiresInMs`, which depends on the clock. */
const toText = (value: unknown) =>
  JSON.stringify(value, (name, part) => (name === 'expiresInMs' ? undefined : part)) ?? 'undefined'

/** A file with its write-ahead log, if any, and the reads after each write that is still in that log. */
interface Sample {
  readonly main: Buffer
  readonly wal: Buffer | undefined
  readonly states: readonly Readings[]
}
const samples: Sample[] = []

async function fill(store: Store): Promise<void> {
  for (const thread of mains) {
    for (let n = 0; n < 12; n++)
      await exchange(
        store,
        thread,
        `${birds[n % 4]} ${n} ${'over the lake '.repeat(n * n * 4)}`,
        `${birds[5]} ${n}`,
      )
    await store.fork(thread, { at: 4, branch: 'edit' })
    await exchange(store, { ...thread, branch: 'edit' }, '鷺鳥が飛ぶ', 'really')
    await store.saveCall(thread, {
      ...sentCall,
      id: 'one',
      plan: JSON.stringify({ kept: 'all '.repeat(300) }),
    })
    await store.saveCall(thread, {
      ...sentCall,
      id: 'two',
      status: 'failed',
      error: 'overloaded',
      reported: 7,
    })
    await store.saveCache(thread, 'fold', 3, new Uint8Array(900).fill(7))
    const { tenant, conversation } = thread
    await store.describeConversation(tenant, conversation, {
      title: `Birds of ${tenant}`,
      metadata: { a: 1 },
    })
  }
}

beforeAll(async () => {
  // The same ids in every run, so that a seed damages the same bytes.
  let ids = 0
  vi.spyOn(crypto, 'randomUUID').mockImplementation(
    () => `00000000-0000-4000-8000-${String(++ids).padStart(12, '0')}`,
  )
  const path = join(folder, 'sample.db')
  const store = sqliteStore({ path, now: clock() })
  await fill(store)
  await store.close()
  const again = sqliteStore({ path, now: clock(2_000_000) })
  samples.push({ main: readFileSync(path), wal: undefined, states: [await readAll(again)] })
  const states = [await readAll(again)]
  for (const [n, thread] of mains.entries()) {
    if (n % 2) await again.seed(thread, { expectedHead: 24, entries: [entry('a crane at night')] })
    else
      await open(again, thread, {
        entries: [entry(`a ${birds[n % 4]} again ${'x '.repeat(2_000)}`)],
      })
    states.push(await readAll(again))
  }
  samples.push({ main: readFileSync(path), wal: readFileSync(`${path}-wal`), states })
  await again.close()
  vi.restoreAllMocks()
})

/** The same times in every run. */
function clock(from = 1_000_000): () => number {
  let now = from
  return () => ++now
}

type Random = (below: number) => number

function createRandom(seed: number): Random {
  let state = seed * 2_654_435_761
  return below => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9
    const mixed = Math.imul(state ^ (state >>> 12), 0x297a2d39)
    return ((mixed ^ (mixed >>> 15)) >>> 0) % below
  }
}

const pageSize = 4096

/** Each function damages the bytes and returns the rest. */
const damages: Readonly<Record<string, (bytes: Buffer, random: Random) => Buffer>> = {
  'a flipped bit': (bytes, random) => {
    bytes[random(bytes.length)]! ^= 1 << random(8)
    return bytes
  },
  'a flipped bit in a text': (bytes, random) => {
    const from = bytes.indexOf(random(2) ? 'over the lake' : '"content"', random(bytes.length))
    bytes[Math.max(0, from) + random(13)]! ^= 1 << random(7)
    return bytes
  },
  'many flipped bits': (bytes, random) => {
    for (let n = 0; n < 40; n++) bytes[random(bytes.length)]! ^= 1 << random(8)
    return bytes
  },
  'bytes of something else': (bytes, random) => {
    const from = random(bytes.length)
    for (let n = 0; n < 1 + random(64); n++) bytes[(from + n) % bytes.length] = random(256)
    return bytes
  },
  'an empty page': (bytes, random) => bytes.fill(0, ...pageOf(bytes, random)),
  'a page twice': (bytes, random) => {
    const [from, to] = pageOf(bytes, random)
    bytes.copy(bytes, pageOf(bytes, random)[0], from, to)
    return bytes
  },
  'an end that is missing': (bytes, random) => bytes.subarray(0, random(bytes.length)),
}

function pageOf(bytes: Buffer, random: Random): [from: number, to: number] {
  const from = random(Math.max(1, Math.floor(bytes.length / pageSize))) * pageSize
  return [from, from + pageSize]
}

interface Finding {
  readonly what: string
  readonly found: string
}

/** Damages a sample and reads it; returns the reads that are neither what was stored nor a typed error. */
async function tryDamage(seed: number, openStore = sqliteStore): Promise<readonly Finding[]> {
  const random = createRandom(seed)
  const sample = samples[random(samples.length)]!
  const isWal = sample.wal !== undefined && random(2) === 0
  const names = Object.keys(damages)
  const name = names[random(names.length)]!
  const path = join(folder, `${seed}.db`)
  const damaged = damages[name]!(Buffer.from(isWal ? sample.wal! : sample.main), random)
  writeFileSync(path, isWal ? sample.main : damaged)
  if (sample.wal) writeFileSync(`${path}-wal`, isWal ? damaged : sample.wal)
  const what = `seed ${seed}, ${name} in the ${isWal ? 'write-ahead log' : 'file'}`
  try {
    const readOnly = random(2) === 0
    const store = openStore({ path, readOnly, now: clock(3_000_000) })
    try {
      const found = await readAll(store)
      const problems = await store.check().catch(error => [error])
      return judge(found, problems, isWal ? sample.states : sample.states.slice(-1)).map(found => ({
        what,
        found,
      }))
    } finally {
      await store.close()
    }
  } catch (error) {
    return error instanceof ThroughlineError ? [] : [{ what, found: `opening: ${error}` }]
  } finally {
    for (const end of ['', '-wal', '-shm', '-lock', '-lock-wal'])
      rmSync(path + end, { force: true })
  }
}

/** The file may be as it was after any of these writes: the state with the fewest faults is compared. */
function judge(
  found: Readings,
  problems: readonly unknown[],
  states: readonly Readings[],
): string[] {
  const untyped = [...problems, ...Object.values(found).map(({ error }) => error)]
    .filter(problem => problem instanceof Error && !(problem instanceof ThroughlineError))
    .map(error => `untyped: ${(error as Error).stack}`)
  const differences = states.map(state =>
    Object.keys(reads).flatMap(name => compare(name, found, state, problems)),
  )
  const [least = []] = differences.sort((a, b) => a.length - b.length)
  const hasErrors = Object.values(found).some(({ error }) => error)
  const unreported =
    hasErrors && problems.length === 0 ? ['check found nothing where a read failed'] : []
  return [...untyped, ...least, ...unreported]
}

function compare(
  name: string,
  found: Readings,
  state: Readings,
  problems: readonly unknown[],
): string[] {
  const { value, error } = found[name]!
  if (error || value === state[name]!.value) return []
  if (name.startsWith('cache') && value === 'undefined') return []
  if (/^(search|calls)/.test(name) && problems.length > 0 && isPart(value, state[name]!.value))
    return []
  return [
    `${name}: ${String(value).slice(0, 200)} instead of ${String(state[name]!.value).slice(0, 200)}`,
  ]
}

function isPart(some: unknown, all: unknown): boolean {
  const known = new Set((JSON.parse(String(all)) as unknown[]).map(found => JSON.stringify(found)))
  return (JSON.parse(String(some)) as unknown[]).every(found => known.has(JSON.stringify(found)))
}

/** The control: a driver that mends every checksum before it is read, as if there were none. */
function credulousStore(options: SqliteStoreOptions): Store {
  const DatabaseSync = loadDriver()
  const mend = (row: unknown) => {
    const isOf = (table: TableName) => columns[table].every(column => column in (row as object))
    const table = row ? tables.find(isOf) : undefined
    return table ? { ...(row as object), checksum: rowSum(table, row as never) } : row
  }
  class Credulous extends DatabaseSync {
    override prepare(sql: string) {
      const statement = super.prepare(sql)
      return {
        run: (...values: SqliteValue[]) => statement.run(...values),
        get: (...values: SqliteValue[]) => mend(statement.get(...values)),
        all: (...values: SqliteValue[]) => statement.all(...values).map(mend),
        *iterate(...values: SqliteValue[]) {
          for (const row of statement.iterate(...values)) yield mend(row)
        },
      }
    }
  }
  return sqliteStore({ ...options, driver: Credulous })
}

it('reads what was stored, or gives an error of ours', async () => {
  const findings: Finding[] = []
  for (let seed = 1; seed <= runs; seed++) findings.push(...(await tryDamage(seed)))
  expect(findings).toEqual([])
}, 1_800_000)

it('would be caught where it believed what it reads', async () => {
  const caught = new Set<string | undefined>()
  for (let seed = 1; seed <= 60 && !(caught.has('entries') && caught.size > 2); seed++)
    for (const { found } of await tryDamage(seed, credulousStore)) caught.add(found.split(' ')[0])
  expect(caught).toContain('entries')
}, 600_000)

it('has a sample that is sound', async () => {
  const path = join(folder, 'sound.db')
  copyFileSync(join(folder, 'sample.db'), path)
  const store = sqliteStore({ path, readOnly: true })
  expect(await store.check()).toEqual([])
  expect(Object.values(await readAll(store)).filter(({ error }) => error)).toEqual([])
  await store.close()
  expect(existsSync(path)).toBe(true)
})
