import type { Role } from '@throughline/core/messages'
import type {
  BeginTurn,
  EntryRange,
  FindWords,
  Store,
  StoredEntry,
  ThreadKey,
  ThreadPlace,
} from '../store.ts'
import { toWanted } from '../words.ts'

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
) {
  const payload = JSON.stringify({ role, content: text })
  return { id, role, time: 1_700_000_000_000, payload, tokens: { words: text.split(' ').length } }
}

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
export async function open(store: Store, thread: ThreadKey, turn: Partial<BeginTurn> = {}) {
  const begun = await store.begin(thread, {
    owner: 'ada',
    leaseMs: long,
    entries: [entry('hello')],
    ...turn,
  })
  if (begun.kind !== 'begun') throw new Error('the turn was replayed where it should have begun')
  return begun
}

/** Writes a whole turn; the texts are the user's and the assistant's by turns. Returns the head. */
export async function exchange(
  store: Store,
  thread: ThreadKey,
  ...texts: string[]
): Promise<number> {
  const [first = 'hello', ...rest] = texts
  const { lease, head } = await open(store, thread, { entries: [entry(first)] })
  const entries = rest.map((text, n) => entry(text, { role: n % 2 ? 'user' : 'assistant' }))
  return (await store.end(thread, { lease, expectedHead: head, entries, status: 'completed' })).head
}

/** A turn whose writer is gone: waits by the store's own clock until the lease has run out. */
export async function abandoned(store: Store, thread: ThreadKey, turn: Partial<BeginTurn> = {}) {
  const begun = await open(store, thread, { owner: 'stalled', leaseMs: 40, ...turn })
  while ((await store.head(thread))?.open?.expiresInMs !== 0)
    await new Promise(done => setTimeout(done, 10))
  return begun
}

export async function read(
  store: Store,
  thread: ThreadKey,
  range?: EntryRange,
): Promise<StoredEntry[]> {
  const entries: StoredEntry[] = []
  for await (const entry of store.entries(thread, range)) entries.push(entry)
  return entries
}

export const texts = async (
  store: Store,
  thread: ThreadKey,
  range?: EntryRange,
): Promise<string[]> =>
  (await read(store, thread, range)).map(({ payload }) => JSON.parse(payload).content)

/** The entries that have every word of a query. */
export async function findAll(
  store: Pick<Store, 'findWords'>,
  tenant: string,
  query: string,
  options?: FindWords,
): Promise<readonly ThreadPlace[]> {
  const wanted = toWanted(query).map(word => [word])
  const [first = [], ...others] = await store.findWords(tenant, wanted, options)
  const nameOf = ({ thread, seq }: ThreadPlace) => JSON.stringify([thread, seq])
  const names = others.map(places => new Set(places.map(nameOf)))
  return first.filter(place => names.every(has => has.has(nameOf(place))))
}
