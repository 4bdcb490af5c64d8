import { leaseLost } from '../refusals.ts'
import type { AppendEntries, Store, ThreadKey } from '../store.ts'
import { StoreError } from '../store-error.ts'
import { type BranchRow, expectHead, isHeldBy, needBranch, saveBranch } from './branch-rows.ts'
import { insertEntries, newOnes } from './entry-rows.ts'
import type { SqliteContext } from './sqlite-context.ts'
import { resultCode, SQLITE_CONSTRAINT } from './sqlite-error.ts'

/** Appends are half of a store's work, so there is a short way: for new entries of the turn that was written to last. */
export function sqliteAppend(context: SqliteContext): Pick<Store, 'append'> {
  const { now, held } = context
  return {
    async append(thread, append) {
      const known = held.get(thread)
      const head = known && isNext(known, append) ? tryNext(thread, known, append) : undefined
      return head === undefined ? appendAny(thread, append) : { head }
    },
  }

  /** The short way. Returns undefined where the database refuses an entry as stored: the long way finds out which. */
  function tryNext(thread: ThreadKey, known: BranchRow, { entries }: AppendEntries): number | undefined {
    try {
      return write(thread, known, entries)
    } catch (error) {
      if (error instanceof StoreError && resultCode(error.cause) === SQLITE_CONSTRAINT) return undefined
      throw error
    }
  }

  function write(thread: ThreadKey, known: BranchRow, entries: AppendEntries['entries']): number {
    const connection = context.ready()
    const branch = connection.write(() => {
      const head = insertEntries(connection, known, known.open_turn!, entries, context.queue())
      return saveBranch(connection, known, { head, updated_at: now() })
    })
    held.set(thread, branch)
    return branch.head
  }

  function appendAny(thread: ThreadKey, { lease, expectedHead, entries }: AppendEntries): { head: number } {
    const connection = context.ready()
    const written = connection.write(() => {
      const branch = needBranch(connection, thread)
      const fresh = newOnes(connection, branch, entries)
      // A repeated append: all of it is stored, whoever holds the turn by now.
      if (entries.length > 0 && fresh.length === 0) return branch
      if (!isHeldBy(branch, lease)) throw leaseLost(thread, lease)
      expectHead(thread, branch, expectedHead)
      const head = insertEntries(connection, branch, branch.open_turn!, fresh, context.queue())
      return saveBranch(connection, branch, { head, updated_at: now() })
    })
    held.set(thread, written)
    return { head: written.head }
  }
}

const isNext = (branch: BranchRow, { entries, expectedHead, lease }: AppendEntries) =>
  entries.length > 0 && branch.head === expectedHead && isHeldBy(branch, lease)
