import type { ThreadKey } from '../../stores/store.ts'
import { createPassages, isQuotable } from './find-quotes.ts'
import { type LogSource, threadId } from './read-log.ts'
import { createThreadLog, type ThreadLog } from './thread-log.ts'
import type { CheckedEmbed } from './vectors/embed-texts.ts'

const mostLogs = 256

/** The logs of the threads that were used last: a server asks for the same few again and again. */
export function createThreadLogs({
  embed,
  ...source
}: Omit<LogSource, 'key'> & { readonly embed?: CheckedEmbed | undefined }) {
  const passages = createPassages(source)
  const logs = new Map<string, { readonly key: ThreadKey; readonly log: ThreadLog }>()
  return {
    passages,
    of(key: ThreadKey): ThreadLog {
      const name = threadId(key)
      const entry = logs.get(name) ?? { key, log: createThreadLog({ ...source, key }, embed) }
      // A map keeps the order of insertion: set again, this log becomes the newest.
      logs.delete(name)
      logs.set(name, entry)
      if (logs.size > mostLogs) logs.delete(logs.keys().next().value!)
      return entry.log
    },
    /** Prepares a person's conversations, one after the other, for others that may bring something back from them. */
    async prepare(tenant: string, conversations: readonly string[]): Promise<void> {
      try {
        for (const conversation of conversations) {
          const [info] = await source.store.conversations(tenant, { only: conversation })
          for (const { actor, branch, head } of info?.person === undefined ? [] : info.threads) {
            const thread = { tenant, conversation, actor, branch }
            if (isQuotable(thread)) await passages.prepare(thread, 1, head)
          }
        }
      } catch {
        // They are read when a message asks for them.
      }
    },
    drop(tenant: string, conversation: string): void {
      passages.drop(tenant, conversation)
      for (const [name, { key }] of logs)
        if (key.tenant === tenant && key.conversation === conversation) logs.delete(name)
    },
  }
}
