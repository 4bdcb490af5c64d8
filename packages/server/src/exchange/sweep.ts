import { setTimeout } from 'node:timers/promises'
import { orAborted } from '@throughline/core/values'
import type { History } from '@throughline/history'
import { isSideName, sidePrefix } from '@throughline/history/log'
import { lastUseOf } from '@throughline/stores/store'

export interface SweepOptions {
  readonly historyOf: (tenant: string) => History
  readonly tenants: () => Promise<Iterable<string>>
  readonly now: () => number
  /** How long side requests, other conversations and records of calls are kept after their last use. Default: for ever. */
  readonly sideMs: number
  readonly keepMs?: number
  readonly keepCallsMs?: number
  /** Called with each conversation that was deleted because it was not used for `keepMs`. */
  readonly onDeleted?: (tenant: string, conversation: string) => void
}

/** Deletes what is older than its time, now and then, until it is closed. Several servers may do so on one database. */
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
    // A store that fails is asked again the next time; one that never answers does not hold up the end.
    await orAborted(sweepOnce(options, signal), signal).catch(() => undefined)
  }
}

async function sweepOnce(options: SweepOptions, signal: AbortSignal): Promise<void> {
  const { historyOf, tenants, now, sideMs, keepMs, keepCallsMs, onDeleted } = options
  for (const tenant of await tenants()) {
    const history = historyOf(tenant)
    const sides = { unusedSince: now() - sideMs, from: sidePrefix, isMeant: isSideName }
    await deleteUnused(history, sides, signal)
    if (keepMs !== undefined) {
      const isMeant = (name: string) => !isSideName(name)
      const onGone = (conversation: string) => onDeleted?.(tenant, conversation)
      await deleteUnused(history, { unusedSince: now() - keepMs, isMeant, onGone }, signal)
    }
    if (keepCallsMs !== undefined) await history.store.deleteCalls(tenant, now() - keepCallsMs)
  }
}

/** Conversations of a tenant that were not used since a time. */
interface UnusedFilter {
  readonly unusedSince: number
  readonly isMeant: (conversation: string) => boolean
  /** The name behind which those that are meant stand in a row: the first other one is the end. Absent: anywhere. */
  readonly from?: string
  readonly onGone?: (conversation: string) => void
}

/** How many are read at once. */
const pageSize = 50
/** The pause between two deletions, for other requests. */
const restMs = 5

async function deleteUnused(
  history: History,
  old: UnusedFilter,
  signal: AbortSignal,
): Promise<void> {
  const { unusedSince, isMeant, from, onGone } = old
  let after = from === undefined ? undefined : { conversation: from, updatedAt: 0 }
  for (;;) {
    const page = await history.conversations({ order: 'name', limit: pageSize, after })
    const meant = page.filter(({ conversation }) => isMeant(conversation))
    for (const info of meant) {
      if (lastUseOf(info) >= unusedSince) continue
      if (await history.delete(info.conversation, { unusedSince })) onGone?.(info.conversation)
      await rest(restMs, signal)
    }
    if (page.length < pageSize || (from !== undefined && meant.length < page.length)) return
    after = page.at(-1)
    await rest(0, signal)
  }
}
