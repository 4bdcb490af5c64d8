import type { ConversationInfo, Store } from '../stores/store.ts'

/** How long conversations and calls are kept; without a time, for ever. */
export interface RetainOptions {
  /** Conversations in which nothing was written for so many milliseconds are deleted whole. */
  readonly conversationsMs?: number
  /** Calls older than this are deleted: their contexts can no longer be shown. The log and its system prompts stay. */
  readonly callsMs?: number
}

export interface Retained {
  readonly deleted: readonly string[]
  readonly calls: number
}

/** Deletes old conversations and calls. A conversation that is in use at that moment stays. */
export async function retain(
  store: Store,
  tenant: string,
  now: number,
  { conversationsMs, callsMs }: RetainOptions,
): Promise<Retained> {
  const deleted: string[] = []
  if (conversationsMs !== undefined) {
    const unusedSince = now - conversationsMs
    for await (const { conversation, updatedAt } of allConversations(store, tenant)) {
      if (updatedAt >= unusedSince) continue
      if (await store.deleteConversation(tenant, conversation, { unusedSince })) deleted.push(conversation)
    }
  }
  const calls = callsMs === undefined ? 0 : await store.deleteCalls(tenant, now - callsMs)
  return { deleted, calls }
}

/** Pages through a tenant's conversations by name: an order that writes do not change meanwhile. */
export async function* allConversations(store: Store, tenant: string) {
  const limit = 100
  for (let after: ConversationInfo | undefined; ; ) {
    const page = await store.conversations(tenant, { order: 'name', limit, after })
    yield* page
    if (page.length < limit) return
    after = page.at(-1)
  }
}
