import { InvalidOptionError, refuseUnknown } from '@throughline/core/errors'
import type { ConversationInfo, ListConversations, Store } from '@throughline/stores/store'
import type { ConversationLists } from './conversation-lists.ts'
import type { DeleteOptions, History } from './history.ts'
import { isSideName, sidePrefix } from './side-name.ts'

interface DeletionSource {
  readonly store: Store
  readonly tenant: string
  readonly person: string | undefined
  readonly now: () => number
  readonly lists: ConversationLists
  /** Forgets what is held in memory of a conversation. */
  readonly drop: (tenant: string, conversation: string) => void
}

/** Deletes conversations of a tenant, or of one of its people, and old records of calls. */
export function createDeletions({ store, tenant, person, now, lists, drop }: DeletionSource) {
  /** Nothing of a conversation stays in memory either. */
  async function remove(
    conversation: string,
    { dryRun, ...conditions }: DeleteOptions,
  ): Promise<boolean> {
    const [info] = await store.conversations(tenant, { only: conversation })
    if (dryRun || !info) return info !== undefined
    if (conditions.unusedSince === undefined && !isSideName(conversation)) await removeSides(info)
    try {
      return await store.deleteConversation(tenant, conversation, conditions)
    } finally {
      // Also where it failed: it may be gone all the same. What is still there is read again.
      drop(tenant, conversation)
    }
  }

  /** Deletes its person's side requests, which may repeat what was said, and are of no use once answered. */
  async function removeSides({ person }: ConversationInfo): Promise<void> {
    const limit = 100
    for (let after: ListConversations['after'] = { conversation: sidePrefix, updatedAt: 0 }; ; ) {
      const page = await store.conversations(tenant, { order: 'name', limit, after, person })
      const sides = page.filter(side => isSideName(side.conversation))
      for (const { conversation, ...side } of sides) {
        if (side.person !== person) continue
        // Without a tombstone, unless one is being answered: then late writes must be refused.
        const isDone = await remove(conversation, { unusedSince: Number.MAX_SAFE_INTEGER })
        if (!isDone) await remove(conversation, {})
      }
      if (sides.length < limit) return
      after = sides.at(-1)!
    }
  }

  async function countCalls(before: number): Promise<number> {
    let count = 0
    for await (const key of lists.threads())
      count += (await store.calls(key)).filter(({ time }) => time < before).length
    return count
  }

  return {
    /** What was erased of a conversation stays nowhere else. */
    async forget(conversation: string): Promise<void> {
      const [info] = await store.conversations(tenant, { only: conversation })
      if (info) await removeSides(info)
      drop(tenant, conversation)
    },
    async delete(conversation, options = {}) {
      refuseUnknown(options, { unusedSince: 1, dryRun: 1 })
      const isOurs =
        person === undefined ||
        (await store.conversations(tenant, { only: conversation, person })).length > 0
      return isOurs && remove(conversation, options)
    },
    async deleteAll(which = {}) {
      refuseUnknown(which, { actor: 1, person: 1, dryRun: 1 })
      const { actor, person: whose, ...options } = which
      const deleted: string[] = []
      for await (const { conversation, threads, person: owner } of lists.conversations(
        person ?? whose,
      )) {
        if (actor !== undefined && !threads.some(thread => thread.actor === actor)) continue
        if (whose !== undefined && owner !== whose) continue
        if (await remove(conversation, options)) deleted.push(conversation)
      }
      return deleted
    },
    async retain(times) {
      refuseUnknown(times, { conversationsMs: 1, callsMs: 1, dryRun: 1 })
      const { conversationsMs, callsMs, dryRun = false } = times
      if (callsMs !== undefined && person !== undefined)
        throw new InvalidOptionError(
          'callsMs',
          'records of calls are kept for the tenant: ask a history without a person',
        )
      const deleted: string[] = []
      if (conversationsMs !== undefined) {
        const unusedSince = now() - conversationsMs
        for await (const { conversation } of lists.conversations(person, unusedSince)) {
          // One that is in use at this moment stays.
          if (await remove(conversation, { unusedSince, dryRun })) deleted.push(conversation)
        }
      }
      if (callsMs === undefined) return { deleted, calls: 0 }
      const before = now() - callsMs
      const calls = dryRun ? await countCalls(before) : await store.deleteCalls(tenant, before)
      return { deleted, calls }
    },
  } satisfies Pick<History, 'delete' | 'deleteAll' | 'retain'> & Record<'forget', unknown>
}
