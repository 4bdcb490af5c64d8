import type { MayBeFollowed, ThreadKey } from '../store.ts'
import type { Connection } from './connection.ts'

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
 */
export function groupWrites(connection: Connection) {
  const waiting: WaitingWrite[] = []
  let timer: NodeJS.Immediate | undefined
  let last = ''

  function next(): void {
    timer = undefined
    const seen = new Set<string>()
    const isLater = ({ about }: WaitingWrite) => seen.size === seen.add(about).size || seen.size > mostInGroup
    const end = waiting.findIndex(isLater)
    const group = waiting.splice(0, end < 0 ? waiting.length : end)
    if (waiting.length > 0) timer = setImmediate(next)
    if (group.length > 1 && tryAll(group)) return
    for (const one of group) runAlone(one)
  }

  function tryAll(group: readonly WaitingWrite[]): boolean {
    let results: readonly unknown[]
    try {
      results = connection.write(() => group.map(({ work }) => work()))
    } catch {
      return false
    }
    group.forEach((one, at) => {
      one.onCommit?.(results[at])
    })
    group.forEach((one, at) => {
      settle(one, results[at])
    })
    return true
  }

  function runAlone(one: WaitingWrite): void {
    try {
      const result = connection.write(one.work)
      one.onCommit?.(result)
      settle(one, result)
    } catch (error) {
      one.reject(error)
    }
  }

  /** Tells the writer of a commit, after the disk has it. */
  function settle({ isFollowed, resolve, reject }: WaitingWrite, result: unknown): void {
    if (isFollowed) resolve(result)
    else connection.synced().then(() => resolve(result), reject)
  }

  return {
    /** Runs work in a transaction, on disk when this resolves unless `isFollowed`. May repeat it: it must change only the file. */
    write: <T>({ tenant, conversation }: About, work: () => T, how: GroupWriteOptions<T> = {}) =>
      new Promise<T>((resolve, reject) => {
        const about = `${tenant}\0${conversation}`
        const one = { ...how, about, work, resolve, reject } as WaitingWrite
        const isAlone = about === last && waiting.length === 0
        last = about
        if (isAlone) return runAlone(one)
        waiting.push(one)
        timer ??= setImmediate(next)
      }),
    flush() {
      while (waiting.length > 0) {
        if (timer) clearImmediate(timer)
        next()
      }
    },
  }
}

/** So that a group holds the event loop up only for some milliseconds. */
const mostInGroup = 64

interface WaitingWrite extends GroupWriteOptions<unknown> {
  readonly about: string
  readonly work: () => unknown
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}
