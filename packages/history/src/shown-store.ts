import type {
  ConversationInfo,
  ListConversations,
  Store,
  ThreadKey,
  WordPlace,
} from '@throughline/stores/store'
import { mainBranch } from './log/read-log.ts'
import { experimentActor, isReserved } from './side-name.ts'

export const isExperiment = ({ threads }: Pick<ConversationInfo, 'threads'>): boolean =>
  threads.some(({ actor }) => actor === experimentActor)

/** Whether a conversation is an experiment: one look at the store. */
export async function isExperimentNamed(
  store: Pick<Store, 'head'>,
  { tenant, conversation }: Pick<ThreadKey, 'tenant' | 'conversation'>,
): Promise<boolean> {
  const thread = { tenant, conversation, actor: experimentActor, branch: mainBranch }
  return (await store.head(thread)) !== undefined
}

/** A store for those who see what users see: no way of reading finds experiments and inner threads. Writes as before. */
export function shownStore(store: Store): Store {
  const isHidden = async (thread: ThreadKey) =>
    isReserved(thread.actor) || isExperimentNamed(store, thread)

  /** Leaves out what is hidden; each conversation is looked up once. */
  async function shown<Item extends { readonly thread: ThreadKey }>(
    items: readonly Item[],
    cache = new Map<string, boolean>(),
  ) {
    const kept: Item[] = []
    for (const item of items) {
      const { thread } = item
      if (isReserved(thread.actor)) continue
      const isHidden = cache.get(thread.conversation) ?? (await isExperimentNamed(store, thread))
      cache.set(thread.conversation, isHidden)
      if (!isHidden) kept.push(item)
    }
    return kept
  }

  async function conversations(tenant: string, options: ListConversations = {}) {
    const { only, limit = Number.POSITIVE_INFINITY } = options
    const infos: ConversationInfo[] = []
    // A page is filled up: a short one would count as the last.
    for (let { after } = options; ; ) {
      const page = await store.conversations(tenant, { ...options, after })
      for (const one of page)
        if (infos.length < limit && !isExperiment(one))
          infos.push({ ...one, threads: one.threads.filter(({ actor }) => !isReserved(actor)) })
      if (only !== undefined || infos.length >= limit || page.length < limit) return infos
      after = page.at(-1)
    }
  }

  return {
    ...store,
    conversations,
    head: async thread => ((await isHidden(thread)) ? undefined : store.head(thread)),
    turns: async thread => ((await isHidden(thread)) ? [] : store.turns(thread)),
    calls: async (thread, options) =>
      (await isHidden(thread)) ? [] : store.calls(thread, options),
    loadCache: async (thread, key) =>
      (await isHidden(thread)) ? undefined : store.loadCache(thread, key),
    async *entries(thread, range) {
      if (!(await isHidden(thread))) yield* store.entries(thread, range)
    },
    findMarks: async (tenant, marks, options) =>
      shown(await store.findMarks(tenant, marks, options)),
    async findWords(tenant, words, options) {
      const cache = new Map<string, boolean>()
      const results: (readonly WordPlace[])[] = []
      for (const places of await store.findWords(tenant, words, options))
        results.push(await shown(places, cache))
      return results
    },
  }
}
