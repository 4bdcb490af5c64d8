import type { ConversationInfo, Store } from '../stores/store.ts'

/** How long things are kept. What is absent is kept for ever. */
export interface RetainOptions {
  /** Conversations in which nothing was written for so many milliseconds are deleted whole. */
  readonly conversationsMs?: number
  /** Records of calls that are older: what was sent in them can no longer be shown. The log and its system prompts stay. */
  readonly callsMs?: number
}

export interface Retained {
  readonly deleted: readonly string[]
  readonly calls: number
}

/** Deletes what is older than it should be. Whatever is in use at that moment stays. */
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

/** Page by page: a tenant may have any number. By name: what is written meanwhile changes no place in the list. */
export async function* allConversations(store: Store, tenant: string) {
  const limit = 100
  for (let after: ConversationInfo | undefined; ; ) {
    const page = await store.conversations(tenant, { order: 'name', limit, after })
    yield* page
    if (page.length < limit) return
    after = page.at(-1)
  }
}
