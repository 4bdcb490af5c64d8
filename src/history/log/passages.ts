import type { ThreadKey } from '../../stores/store.ts'
import { type Said, saidBetween } from './load-quotes.ts'
import { type LogSource, threadName } from './read-log.ts'

/** The entries of a passage. */
export const passageSize = 128

/** The most messages in memory, of the passages used last. With the terms of their texts they take some tens of megabytes. */
const mostMessages = 8_192

/** A message of another conversation, and where it stands. */
export interface Quotable extends Said {
  readonly thread: ThreadKey
}

/** Passages: entries in a row of conversations that messages of others bring something back from. */
export interface Passages {
  /** What was said in the passage that begins with an entry. Entries never change, so only new ones are read again. */
  read(thread: ThreadKey, from: number): Promise<readonly Quotable[]>
  /** Forgets a conversation. */
  drop(tenant: string, conversation: string): void
}

export function createPassages(source: Omit<LogSource, 'key'>): Passages {
  const known = new Map<string, readonly Quotable[]>()
  let messages = 0
  let drops = 0

  function forget(name: string): void {
    messages -= known.get(name)?.length ?? 0
    known.delete(name)
  }

  return {
    async read(thread, from) {
      const name = `${thread.tenant}\0${threadName(thread)}\0${from}`
      const before = known.get(name) ?? []
      const dropped = drops
      const next = Math.max(from, (before.at(-1)?.seq ?? 0) + 1)
      const to = from + passageSize - 1
      const more = next > to ? [] : await saidBetween({ ...source, key: thread }, next, to)
      const said = more.length > 0 ? [...before, ...more.map(one => ({ ...one, thread }))] : before
      // What may have been deleted meanwhile is not kept.
      if (dropped !== drops) return said
      forget(name)
      known.set(name, said)
      messages += said.length
      for (const oldest of known.keys()) {
        if (messages <= mostMessages || oldest === name) break
        forget(oldest)
      }
      return said
    },
    drop(tenant, conversation) {
      drops += 1
      for (const [name, [first]] of known)
        if (first?.thread.tenant === tenant && first.thread.conversation === conversation) forget(name)
    },
  }
}
