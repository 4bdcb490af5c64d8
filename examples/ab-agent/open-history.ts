/** Opens the log that both instances share. */
import { setTimeout as sleep } from 'node:timers/promises'
import { createHistory, type History } from 'throughline/history'
import { type Store, StoreError } from 'throughline/stores'
import { postgresStore } from 'throughline/stores/postgres'
import { sqliteStore } from 'throughline/stores/sqlite'

/** Gives the log for one request. `done` must be called when the request is over. */
export type OpenHistory = () => Promise<{ readonly history: History; done(): Promise<void> }>

/** `store` is an address of PostgreSQL, or the path of an SQLite file. */
export function historyOpener(store: string): OpenHistory {
  if (!/^postgres(ql)?:/.test(store)) {
    // An SQLite file has one writer at a time. So an instance holds it for one request only, and the other one waits.
    return async () => {
      const history = historyOn(await openFile(store))
      return { history, done: () => history.close() }
    }
  }
  // PostgreSQL has any number of writers: one pool of connections serves all requests.
  const history = historyOn(postgresStore({ url: store }))
  return async () => ({ history, done: async () => {} })
}

/** The turn of an instance that was killed is free for the other one: after five seconds, and at once in an SQLite file. */
const historyOn = (store: Store) => createHistory({ store, leaseMs: 5_000 })

const longestWaitMs = 10_000
const pauseMs = 20

async function openFile(path: string): Promise<Store> {
  for (let waited = 0; ; waited += pauseMs) {
    try {
      return sqliteStore({ path })
    } catch (error) {
      const isHeld = error instanceof StoreError && error.code === 'store_locked'
      if (!isHeld || waited >= longestWaitMs) throw error
      await sleep(pauseMs)
    }
  }
}
