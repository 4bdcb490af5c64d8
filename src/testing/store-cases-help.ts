import { ThroughlineError } from '../log/error.ts'
import type { Role } from '../log/message.ts'
import type {
  BeginTurn,
  Begun,
  EntryRange,
  NewEntry,
  Store,
  StoredEntry,
  ThreadKey,
} from '../stores/store.ts'

export type CreateStore = () => Promise<Store>

/** One requirement on every store. `run` throws when the store fails it. */
export interface StoreCase {
  readonly name: string
  run(create: CreateStore): Promise<void>
}

export function storeCase(
  name: string,
  body: (store: Store, thread: ThreadKey) => Promise<unknown>,
): StoreCase {
  return {
    name,
    async run(create) {
      const store = await create()
      try {
        await store.migrate()
        await body(store, newThread())
        equal(await store.check(), [], 'what check() finds')
      } finally {
        await store.close()
      }
    },
  }
}

/** A tenant of its own for every case, so that cases can share one database. */
export const newThread = (): ThreadKey => ({
  tenant: `tenant ${crypto.randomUUID()}`,
  conversation: 'lemonade',
  actor: 'assistant',
  branch: 'main',
})

export function entry(
  text: string,
  { role = 'user' as Role, id = crypto.randomUUID() as string } = {},
): NewEntry {
  const payload = JSON.stringify({ role, content: text })
  return { id, role, time: 1_700_000_000_000, payload, tokens: { words: text.split(' ').length } }
}

/** A call without its id. */
export const sentCall = {
  turn: 1,
  time: 5,
  model: 'llama',
  plan: '{}',
  predicted: 10,
  status: 'sent',
} as const

/** A lease that outlasts every test. */
export const long = 600_000

/** Begins a turn; throws if it was replayed. */
export async function open(
  store: Store,
  thread: ThreadKey,
  turn: Partial<BeginTurn> = {},
): Promise<Extract<Begun, { kind: 'begun' }>> {
  const begun = await store.begin(thread, { owner: 'ada', leaseMs: long, entries: [entry('hello')], ...turn })
  if (begun.kind !== 'begun') throw new Error('the turn was replayed where it should have begun')
  return begun
}

/** Writes a whole turn; the texts are the user's and the assistant's by turns. Returns the head. */
export async function exchange(store: Store, thread: ThreadKey, ...texts: string[]): Promise<number> {
  const [first = 'hello', ...rest] = texts
  const { lease, head } = await open(store, thread, { entries: [entry(first)] })
  const entries = rest.map((text, n) => entry(text, { role: n % 2 ? 'user' : 'assistant' }))
  return (await store.end(thread, { lease, expectedHead: head, entries, status: 'completed' })).head
}

/** A turn whose writer is gone: waits by the store's own clock until the lease has run out. */
export async function abandoned(store: Store, thread: ThreadKey, turn: Partial<BeginTurn> = {}) {
  const begun = await open(store, thread, { owner: 'stalled', leaseMs: 40, ...turn })
  while ((await store.head(thread))?.open?.expiresInMs !== 0) await new Promise(done => setTimeout(done, 10))
  return begun
}

export async function read(store: Store, thread: ThreadKey, range?: EntryRange): Promise<StoredEntry[]> {
  const entries: StoredEntry[] = []
  for await (const entry of store.entries(thread, range)) entries.push(entry)
  return entries
}

export const textOf = ({ payload }: { payload: string }): string => JSON.parse(payload).content

export async function texts(store: Store, thread: ThreadKey, range?: EntryRange): Promise<string[]> {
  return (await read(store, thread, range)).map(textOf)
}

export function equal(actual: unknown, expected: unknown, what: string): void {
  const [a, b] = [stable(actual), stable(expected)]
  if (a !== b) throw new Error(`${what}: expected ${short(b)}, got ${short(a)}`)
}

/** Expects a ThroughlineError with this code, and returns it. A failure shows the call, so that nobody has to look it up. */
export async function refused(call: () => Promise<unknown>, code: string): Promise<ThroughlineError> {
  const answer = await call().then(
    value => `it gave ${short(stable(value))}`,
    (error: unknown) => error as Error,
  )
  if (answer instanceof ThroughlineError && answer.code === code) return answer
  const came = answer instanceof Error ? `got: ${answer}` : answer
  throw new Error(`${short(String(call))}: expected the error "${code}", but ${came}`)
}

/** JSON with sorted keys: stores may return fields in different orders. */
function stable(value: unknown): string {
  const sort = (_: string, part: unknown) =>
    part && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part
  return JSON.stringify(value, sort) ?? 'undefined'
}

const short = (text: string) => (text.length > 400 ? `${text.slice(0, 400)}… (${text.length})` : text)
