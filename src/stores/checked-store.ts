import {
  checkCall,
  checkEntries,
  checkLimit,
  checkMarks,
  checkName,
  checkNames,
  checkPage,
  checkRange,
  checkThread,
  checkTime,
  defaultMaxEntryBytes,
} from './check-input.ts'
import { checkStretch } from './check-stretch.ts'
import type { NewEntry, Store } from './store.ts'

/**
 * A store with its input checked: names, sizes, numbers, and texts that some databases change. What is refused does not
 * reach the store. Every built-in store is made with it.
 */
export function checkedStore(store: Store, maxEntryBytes = defaultMaxEntryBytes): Store {
  const checkNew = (entries: readonly NewEntry[]) => checkEntries(entries, maxEntryBytes)
  return {
    ...store,
    ...withChecks(store, checkThread, {
      begin(_, { owner, key, body, closing = [], entries }) {
        checkNew(closing)
        checkNew(entries)
        checkNames({ owner, key, body })
      },
      resume: (_, { owner }) => checkNames({ owner }),
      append(_, { lease: { owner }, entries }) {
        checkNames({ owner })
        checkNew(entries)
      },
      end(_, { lease: { owner }, error, entries }) {
        checkNames({ owner, error })
        checkNew(entries)
      },
      renew: (_, { owner }) => checkNames({ owner }),
      seed: (_, { entries }) => checkNew(entries),
      restore: (_, stretch) => checkStretch(stretch, maxEntryBytes),
      fork: (thread, { branch }) => checkThread({ ...thread, branch }),
      head: () => {},
      turns: () => {},
      saveCall: (_, call) => checkCall(call, maxEntryBytes),
      calls: (_, { limit } = {}) => checkLimit(limit),
      saveCache: (_, key) => checkName('key of the cache', key),
      loadCache: (_, key) => checkName('key of the cache', key),
      saveMarks: (_, marks) => checkMarks(marks),
    }),
    ...withChecks(store, (tenant: string) => checkName('tenant', tenant), {
      deleteCalls: (_, before) => checkTime('before', before),
      findMarks(_, marks, { limit } = {}) {
        for (const mark of marks) checkName('mark', mark)
        checkLimit(limit)
      },
      conversations: (_, page = {}) => checkPage(page),
      describeConversation: (_, conversation) => checkName('conversation', conversation),
      search: (_, __, { limit } = {}) => checkLimit(limit),
      deleteConversation(_, conversation, { unusedSince } = {}) {
        checkName('conversation', conversation)
        if (unusedSince !== undefined) checkTime('unusedSince', unusedSince)
      },
    }),
    entries: (thread, range = {}) => ({
      [Symbol.asyncIterator]() {
        checkThread(thread)
        checkRange(range)
        return store.entries(thread, range)[Symbol.asyncIterator]()
      },
    }),
  }
}

type Checks = { readonly [Method in keyof Store]?: (...input: Parameters<Store[Method]>) => void }

/** Methods that check what they are about, then the rest of their input, then ask the store. */
function withChecks<First>(store: Store, checkFirst: (first: First) => void, checks: Checks): Partial<Store> {
  const methods = store as unknown as Readonly<Record<string, (...input: unknown[]) => unknown>>
  const checked = Object.entries(checks as Readonly<Record<string, (...input: unknown[]) => void>>).map(
    ([name, check]) => [
      name,
      async (...input: unknown[]) => {
        checkFirst(input[0] as First)
        check(...input)
        return methods[name]!(...input)
      },
    ],
  )
  return Object.fromEntries(checked)
}
