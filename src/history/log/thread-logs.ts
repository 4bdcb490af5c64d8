import type { ThreadKey } from '../../stores/store.ts'
import type { ThreadLog } from './thread-log.ts'

/** The logs of the threads that were used last: a server asks for the same few again and again. */
export interface ThreadLogs {
  of(key: ThreadKey): ThreadLog
  /** Forgets the threads of a conversation. */
  drop(tenant: string, conversation: string): void
}

export function createThreadLogs(create: (key: ThreadKey) => ThreadLog, most = 256): ThreadLogs {
  const known = new Map<string, { readonly key: ThreadKey; readonly log: ThreadLog }>()
  return {
    of(key) {
      const name = JSON.stringify([key.tenant, key.conversation, key.actor, key.branch])
      const found = known.get(name) ?? { key, log: create(key) }
      // A map keeps the order of insertion: set again, this log becomes the newest.
      known.delete(name)
      known.set(name, found)
      if (known.size > most) known.delete(known.keys().next().value!)
      return found.log
    },
    drop(tenant, conversation) {
      for (const [name, { key }] of known)
        if (key.tenant === tenant && key.conversation === conversation) known.delete(name)
    },
  }
}
