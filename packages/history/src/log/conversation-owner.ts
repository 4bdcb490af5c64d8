import type { ConversationKey, Store } from '@throughline/stores/store'

/** Whose conversation a thread is of: asked of the store until a person has it, and remembered from then on. */
export function createOwner(store: Store, { tenant, conversation }: ConversationKey) {
  let person: string | undefined
  const infoOf = () => store.conversations(tenant, { only: conversation })
  return {
    async owner(): Promise<string | undefined> {
      person ??= (await infoOf())[0]?.person
      return person
    },
    /** Makes it this person's, now that there is one, unless it is another one's. */
    async claim(speaker: string): Promise<void> {
      if (person !== undefined) return
      const [info] = await infoOf()
      if (info && info.person === undefined)
        await store.describeConversation(tenant, conversation, { person: speaker })
      person = info && (info.person ?? speaker)
    },
  }
}
