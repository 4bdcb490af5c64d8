import type { ConversationInfo, Store, ThreadKey } from '@throughline/stores/store'
import type { History } from './history.ts'

export type ConversationLists = ReturnType<typeof createConversationLists>

/** All conversations of a tenant, or of one of its people, and all their threads. */
export function createConversationLists(store: Store, tenant: string, person: string | undefined) {
  const conversations = (of = person, unusedSince?: number) =>
    eachConversation(page => store.conversations(tenant, { ...page, person: of, unusedSince }))
  async function* threads(): AsyncGenerator<ThreadKey> {
    for await (const { conversation, threads } of conversations())
      for (const { actor, branch } of threads) yield { tenant, conversation, actor, branch }
  }
  return { conversations, threads }
}

/** Pages through conversations by name: an order that writes do not change meanwhile. */
export async function* eachConversation(list: History['conversations']) {
  const limit = 100
  for (let after: ConversationInfo | undefined; ; ) {
    const page = await list({ order: 'name', limit, after })
    yield* page
    if (page.length < limit) return
    after = page.at(-1)
  }
}
