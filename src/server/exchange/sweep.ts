import { setTimeout } from 'node:timers/promises'
import { isSideName, sidePrefix } from '../../history/side-name.ts'
import type { Store } from '../../stores/store.ts'

export interface SweepOptions {
  readonly store: Store
  /** Whose conversations are looked at. */
  readonly tenants: () => Promise<Iterable<string>>
  readonly now: () => number
  /** How long side requests, other conversations and records of calls are kept after their last use. Default: for ever. */
  readonly sideMs: number
  readonly keepMs?: number
  readonly keepCallsMs?: number
}

/**
 * Deletes what is older than its time, now and then, until it is closed. Several servers on one database may do so at once:
 * what one has deleted, the others no longer find.
 */
export function sweep(options: SweepOptions): { close(): Promise<void> } {
  const closing = new AbortController()
  const over = sweepOften(options, closing.signal).catch(() => undefined)
  return {
    close() {
      closing.abort()
      return over
    },
  }
}

/** Rejects as soon as sweeping is to end. A server that is forgotten does not keep its process alive. */
const rest = (ms: number, signal: AbortSignal) => setTimeout(ms, undefined, { signal, ref: false })

async function sweepOften(options: SweepOptions, signal: AbortSignal): Promise<void> {
  const { sideMs, keepMs = sideMs, keepCallsMs = sideMs } = options
  // Four times in the shortest time, at most every second and at least every hour.
  const pause = Math.min(Math.max(Math.min(sideMs, keepMs, keepCallsMs) / 4, 1000), 3_600_000)
  for (let next = Math.min(pause, 1000); ; next = pause) {
    await rest(next, signal)
    // A store that does not answer is asked again the next time.
    await sweepOnce(options, signal).catch(() => undefined)
  }
}

async function sweepOnce(options: SweepOptions, signal: AbortSignal): Promise<void> {
  const { store, tenants, now, sideMs, keepMs, keepCallsMs } = options
  for (const tenant of await tenants()) {
    const deleteOld = (what: Omit<Old, 'tenant'>) => deleteUnused(store, { tenant, ...what }, signal)
    const isOther = (name: string) => !isSideName(name)
    await deleteOld({ since: now() - sideMs, from: sidePrefix, isMeant: isSideName, isTogether: true })
    if (keepMs !== undefined) await deleteOld({ since: now() - keepMs, isMeant: isOther })
    if (keepCallsMs !== undefined) await store.deleteCalls(tenant, now() - keepCallsMs)
  }
}

/** Conversations of a tenant that were not used since a time. */
interface Old {
  readonly tenant: string
  readonly since: number
  readonly isMeant: (conversation: string) => boolean
  /** The name behind which to begin. */
  readonly from?: string
  /** Whether those that are meant stand in a row, so that the first other one is the end. */
  readonly isTogether?: boolean
}

/** How many are read at once. */
const pageSize = 50
/** Others get their turn between two deletions. */
const restMs = 5

async function deleteUnused(store: Store, old: Old, signal: AbortSignal): Promise<void> {
  const { tenant, since, isMeant, from, isTogether } = old
  let after = from === undefined ? undefined : { conversation: from, updatedAt: 0 }
  for (;;) {
    const page = await store.conversations(tenant, { order: 'name', limit: pageSize, after })
    const meant = page.filter(({ conversation }) => isMeant(conversation))
    for (const { conversation, updatedAt } of meant) {
      if (updatedAt >= since) continue
      await store.deleteConversation(tenant, conversation, { unusedSince: since })
      await rest(restMs, signal)
    }
    if (page.length < pageSize || (isTogether && meant.length < page.length)) return
    after = page.at(-1)
    await rest(0, signal)
  }
}
