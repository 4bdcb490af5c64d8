import type { Store, ThreadKey } from '../../stores/store.ts'

/** Whose conversation a thread is of: asked of the store until a person has it, and remembered from then on. */
export interface ConversationOwner {
  /** Whose conversation it is, if a person has it. */
  owner(): Promise<string | undefined>
  /** Makes it this person's, now that there is one, unless it is another one's. */
  claim(person: string): Promise<void>
}

export function createOwner(
  store: Store,
  { tenant, conversation }: Pick<ThreadKey, 'tenant' | 'conversation'>,
): ConversationOwner {
  let person: string | undefined
  const infoOf = () => store.conversations(tenant, { only: conversation })
  return {
    async owner() {
      person ??= (await infoOf())[0]?.person
      return person
    },
    async claim(speaker) {
      if (person !== undefined) return
      const [info] = await infoOf()
      if (info && info.person === undefined)
        await store.describeConversation(tenant, conversation, { person: speaker })
      person = info && (info.person ?? speaker)
    },
  }
}
