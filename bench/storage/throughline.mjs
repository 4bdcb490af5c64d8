import { createHistory } from '../../dist/history/index.js'
import { postgresStore } from '../../dist/stores/postgres/postgres-store.js'
import { sqliteStore } from '../../dist/stores/sqlite/sqlite-store.js'
import { openDatabase } from '../.build/stores/postgres/database.js'
import { indexWaiting } from '../.build/stores/postgres/word-indexer.js'
import { createFolder, createSchema } from './places.mjs'
import { rawPostgres, rawSqlite } from './raw.mjs'

export const throughlineSqlite = size => [
  subject('throughline sqlite, entries only', size, sqlite({ search: false })),
  subject('throughline sqlite, with search', size, sqlite({ search: true })),
  subject('throughline sqlite, with search and calls', size, {
    ...sqlite({ search: true }),
    calls: true,
  }),
]

export const throughlinePostgres = (size, server) => [
  subject('throughline postgres, entries only', size, postgres(server, { search: false })),
  subject('throughline postgres, with search', size, postgres(server, { search: true })),
  subject('throughline postgres, with search and calls', size, {
    ...postgres(server, { search: true }),
    calls: true,
  }),
]

const sqlite = ({ search }) => ({
  createPlace: createFolder,
  createStore: ({ path }) => sqliteStore({ path, search }),
  raw: rawSqlite(),
  isEntriesOnly: !search,
})

const postgres = (server, { search }) => ({
  needsServer: true,
  createPlace: () => createSchema(server),
  createStore: ({ url, schema }) => postgresStore({ url, schema, search }),
  ...(search && { createSettle: settlePostgres }),
  raw: rawPostgres(server),
  isEntriesOnly: !search,
})

/** Indexes the words of all that waits for it. */
function settlePostgres({ url, schema }) {
  const database = openDatabase({ url })
  return {
    async settle() {
      while (!(await indexWaiting({ database, schema, isIndexed: true, isDistributed: false })));
    },
    end: () => database.close(),
  }
}

function subject(
  name,
  turns,
  {
    needsServer = false,
    createPlace,
    createStore,
    createSettle,
    raw,
    calls = false,
    isEntriesOnly = false,
  },
) {
  return {
    name,
    turns,
    createPlace,
    raw,
    isOurs: true,
    needsServer,
    isEntriesOnly,
    hasCalls: calls,
    async open(place) {
      const store = createStore(place)
      const settling = createSettle?.(place)
      await store.migrate()
      const history = createHistory({ store, window: 4096, reserve: 512 })
      const thread = history.thread('bench')
      return {
        async take({ user, reply }, untimed) {
          const begun = await thread.begin({ role: 'user', content: user })
          if (calls) {
            // Making the context is what `npm run bench -- fit` measures; here it is kept.
            const context = await untimed(() => thread.context({ system: 'Answer briefly.' }))
            const call = await thread.startCall(context, { model: 'bench' })
            await call.end({ status: 'completed', reported: context.tokens })
          }
          await begun.turn.complete({ role: 'assistant', content: reply })
        },
        count: async () => (await store.head(thread.key)).head,
        startAppending: () => startAppending(store, thread.key),
        ...(settling && { settle: settling.settle }),
        async close() {
          await settling?.end()
          await history.close()
        },
      }
    },
  }
}

/** One turn stays open, and each append is one entry, durable when it resolves. */
async function startAppending(store, key) {
  const entry = ({ id, time, payload }) => ({
    id,
    time,
    payload,
    role: 'tool',
    tokens: { estimate: 200 },
  })
  const first = entry({
    id: 'first',
    time: Date.now(),
    payload: JSON.stringify({ message: { role: 'user', content: 'Go on.' } }),
  })
  const begun = await store.begin(key, {
    owner: 'bench',
    leaseMs: 600_000,
    entries: [{ ...first, role: 'user' }],
  })
  let { head } = begun
  return async row => {
    const append = { lease: begun.lease, expectedHead: head, entries: [entry(row)] }
    head = (await store.append(key, append)).head
  }
}
