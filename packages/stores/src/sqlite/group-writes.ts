import type { MayBeFollowed, ThreadKey } from '../store.ts'
import type { Connection } from './connection.ts'
import { isBusy } from './sqlite-error.ts'

export type About = Pick<ThreadKey, 'tenant' | 'conversation'>

export interface GroupWriteOptions<T> extends MayBeFollowed {
  /** Updates what depends on the write, before any read can see it. */
  readonly onCommit?: (result: T) => void
}

/**
 * Runs the writes of one turn of the event loop in one transaction, as a commit costs more than a write: one of each
 * conversation, so that each sees the one before. If one fails, the group is rolled back and each runs alone. A write
 * resolves when a sync after its commit has ended; reads see it from its commit on. After a write to the same
 * conversation no second writer is waited for.
 *
 * While another process holds the file, writes wait in their order, each for at most `busyMs`; the event loop goes on.
 */
export function groupWrites(connection: Connection, busyMs: number) {
  const waiting: WaitingWrite[] = []
  let timer: NodeJS.Immediate | undefined
  let retry: NodeJS.Timeout | undefined
  let last = ''

  function next(): void {
    timer = undefined
    const seen = new Set<string>()
    const isLater = ({ about }: WaitingWrite) =>
      seen.size === seen.add(about).size || seen.size > mostInGroup
    const end = waiting.findIndex(isLater)
    const group = waiting.splice(0, end < 0 ? waiting.length : end)
    const left = group.length > 1 ? tryAll(group) : runEach(group)
    if (left) wait(left)
    else if (waiting.length > 0) timer = setImmediate(next)
  }

  /** Puts writes back to the front until the file is free, without those that have waited for long enough. */
  function wait({ group, busy }: BusyWrites): void {
    const now = performance.now()
    const all = [...group, ...waiting]
    waiting.length = 0
    for (const one of all) {
      if (one.until > now) waiting.push(one)
      else one.reject(busy)
    }
    if (waiting.length === 0) return
    retry = setTimeout(() => {
      retry = undefined
      next()
    }, busyPauseMs)
  }

  function tryAll(group: readonly WaitingWrite[]): BusyWrites | undefined {
    let results: readonly unknown[]
    try {
      results = connection.write(() => group.map(({ work }) => work()))
    } catch (error) {
      return isBusy(error) ? { group, busy: error } : runEach(group)
    }
    group.forEach((one, at) => {
      one.onCommit?.(results[at])
    })
    group.forEach((one, at) => {
      settle(one, results[at])
    })
    return undefined
  }

  function runEach(group: readonly WaitingWrite[]): BusyWrites | undefined {
    for (const [at, one] of group.entries()) {
      try {
        const result = connection.write(one.work)
        one.onCommit?.(result)
        settle(one, result)
      } catch (error) {
        if (isBusy(error)) return { group: group.slice(at), busy: error }
        one.reject(error)
      }
    }
    return undefined
  }

  /** Tells the writer of a commit, after the disk has it. */
  function settle({ mayDeferSync, resolve, reject }: WaitingWrite, result: unknown): void {
    if (mayDeferSync) resolve(result)
    else connection.synced().then(() => resolve(result), reject)
  }

  return {
    /** Runs work in a transaction, on disk when this resolves unless `mayDeferSync`. May repeat it: it must change only the file. */
    write: <T>({ tenant, conversation }: About, work: () => T, how: GroupWriteOptions<T> = {}) =>
      new Promise<T>((resolve, reject) => {
        const about = `${tenant}\0${conversation}`
        const until = performance.now() + busyMs
        const one = { ...how, about, work, resolve, reject, until } as WaitingWrite
        const isAlone = about === last && waiting.length === 0
        last = about
        if (isAlone) {
          const left = runEach([one])
          return left && wait(left)
        }
        waiting.push(one)
        if (!retry) timer ??= setImmediate(next)
      }),
    /** Writes what waits, at once; refuses it where another process holds the file. */
    flush() {
      clearTimeout(retry)
      retry = undefined
      for (const one of waiting) one.until = 0
      while (waiting.length > 0) {
        if (timer) clearImmediate(timer)
        next()
      }
    },
  }
}

/** How long a write waits for the file before it is tried again. */
const busyPauseMs = 10

/** Runs work until no other process holds the file, for at most some milliseconds. */
export async function untilFree<T>(work: () => T, busyMs: number): Promise<T> {
  for (const until = performance.now() + busyMs; ; ) {
    try {
      return work()
    } catch (error) {
      if (!isBusy(error) || performance.now() >= until) throw error
    }
    await new Promise(resolve => setTimeout(resolve, busyPauseMs))
  }
}

/** So that a group holds the event loop up only for some milliseconds. */
const mostInGroup = 64

/** Writes that another process keeps from the file, in their order. */
interface BusyWrites {
  readonly group: readonly WaitingWrite[]
  readonly busy: unknown
}

interface WaitingWrite extends GroupWriteOptions<unknown> {
  readonly about: string
  readonly work: () => unknown
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
  /** When it has waited for another process for long enough. */
  until: number
}
