import { setTimeout } from 'node:timers/promises'
import { isSideName, sidePrefix } from '../../history/side-name.ts'
import type { Store } from '../../stores/store.ts'

export interface SweepOptions {
  readonly store: Store
  /** Whose side requests are deleted. */
  readonly tenants: () => Promise<Iterable<string>>
  /** How long a side request is kept after it was last written to. */
  readonly keepMs: number
  readonly now: () => number
}

/**
 * Deletes side requests that are older than their time, now and then, until it is closed. Several servers on one database
 * may do so at once: what one has deleted, the others no longer find.
 */
export function sweepSides(options: SweepOptions): { close(): Promise<void> } {
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
  // Four times while a side request is kept, at most every second and at least every hour.
  const pause = Math.min(Math.max(options.keepMs / 4, 1000), 3_600_000)
  for (let next = Math.min(pause, 1000); ; next = pause) {
    await rest(next, signal)
    // A store that does not answer is asked again the next time.
    await sweep(options, signal).catch(() => undefined)
  }
}

/** How many are read at once. */
const pageSize = 50
/** Others get their turn between two deletions. */
const restMs = 5

async function sweep({ store, tenants, keepMs, now }: SweepOptions, signal: AbortSignal): Promise<void> {
  const unusedSince = now() - keepMs
  for (const tenant of await tenants()) {
    for (let after = { conversation: sidePrefix, updatedAt: 0 }; ; ) {
      const page = await store.conversations(tenant, { order: 'name', limit: pageSize, after })
      const sides = page.filter(({ conversation }) => isSideName(conversation))
      for (const { conversation, updatedAt } of sides) {
        if (updatedAt >= unusedSince) continue
        await store.deleteConversation(tenant, conversation, { unusedSince })
        await rest(restMs, signal)
      }
      if (sides.length < pageSize) break
      after = page.at(-1)!
    }
  }
}
